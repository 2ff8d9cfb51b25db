# frozen_string_literal: true

module Dalli
  # Values as bytes and flags: 1 = serialized, 2 = compressed.
  # @private
  class Values
    SERIALIZED = 1
    COMPRESSED = 2
    VALUE_MAX = 1024 * 1024
    COMPRESSION_MIN = 4 * 1024

    # The names of the classes that Marshal data may name; nil: any.
    attr_reader :allowed
    attr_reader :serializer, :compressor, :compression_min_size, :value_max_bytes

    def initialize(options)
      @serializer = options.fetch(:serializer, Marshal)
      @allowed = Leveret.class_list(options[:classes])
      raise ArgumentError, 'classes: is a list for Marshal, and there is a serializer: of your own' if @allowed && !@serializer.equal?(Marshal)

      @compressor = options.fetch(:compressor, Compressor)
      @compression_min_size = options.fetch(:compression_min_size, COMPRESSION_MIN)
      @value_max_bytes = options.fetch(:value_max_bytes, VALUE_MAX)
      @compresses = options.fetch(:compress) { options.fetch(:compression, true) }
    end

    def compress_by_default?
      @compresses
    end

    # [bytes, flags]
    def store(key, value, options)
      if options && options[:raw]
        bytes = value.to_s
        flags = 0
      else
        bytes = serialize(key, value)
        flags = SERIALIZED
      end
      if bytes.bytesize >= @compression_min_size && compresses?(options)
        bytes = @compressor.compress(bytes)
        flags |= COMPRESSED
      end
      return [bytes, flags] if bytes.bytesize <= @value_max_bytes

      raise ValueOverMaxSize, "Value for #{key} over max size: #{@value_max_bytes} <= #{bytes.bytesize}"
    end

    # Called by Leveret::Pool for bytes whose flags are not 0.
    def retrieve(bytes, flags)
      if flags & COMPRESSED != 0
        bytes = decompress(bytes)
      elsif !@serializer.equal?(Marshal) && bytes.ascii_only?
        # As Dalli hands text to serializers of one's own.
        bytes.force_encoding(Encoding::UTF_8)
      end
      flags & SERIALIZED == 0 ? bytes : deserialize(bytes)
    end

    private

    def compresses?(options)
      chosen = options && options[:compress]
      chosen.nil? ? @compresses : chosen
    end

    def serialize(key, value)
      @serializer.dump(value)
    rescue Timeout::Error
      raise
    rescue StandardError => e
      Dalli.logger.error "Marshalling error for key '#{key}': #{e.message}"
      Dalli.logger.error 'You are trying to cache a Ruby object which cannot be serialized to memcached.'
      raise MarshalError, e.message, e.backtrace
    end

    def decompress(bytes)
      @compressor.decompress(bytes)
    rescue Zlib::Error => e
      raise UnmarshalError, "Unable to uncompress value: #{e.message}"
    end

    # Errors of a serializer about the data; all others are the application's own.
    ABOUT_THE_DATA = {
      TypeError => /needs to have method `_load'|exception class\/object expected|instance of IO needed|incompatible marshal file format/,
      ArgumentError => /undefined class|marshal data too short/,
      NameError => /uninitialized constant/
    }.freeze

    def deserialize(bytes)
      @allowed ? Leveret.load(bytes, @allowed) : @serializer.load(bytes)
    rescue Leveret::UnmarshalError => e
      raise UnmarshalError, "Unable to unmarshal value: #{e.message}"
    rescue *ABOUT_THE_DATA.keys => e
      pattern = ABOUT_THE_DATA.find { |type, _| e.is_a?(type) }.last
      raise unless pattern.match?(e.message)

      raise UnmarshalError, "Unable to unmarshal value: #{e.message}"
    end
  end
end
