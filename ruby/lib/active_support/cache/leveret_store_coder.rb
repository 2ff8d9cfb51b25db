# frozen_string_literal: true

require 'active_support/cache'
require 'zlib'

module ActiveSupport
  module Cache
    class LeveretStore < Store
      # Entries as bytes in the formats of Rails 7.0 and 7.1, as :mem_cache_store writes them, read with a list of the classes that Marshal
      # data may name. What names another class, or is damaged, raises DeserializationError, which is a miss.
      # @private
      class ListedCoder # :nodoc:
        SIGNATURE = "\x00\x11".b.freeze
        # After the signature: what the value is, when it is over, how long the version is.
        HEADER = 'CEl<'
        VERSION_AT = SIGNATURE.bytesize + [0, 0.0, 0].pack(HEADER).bytesize
        MARSHAL = "\x04\b".b.freeze
        private_constant :SIGNATURE, :HEADER, :VERSION_AT, :MARSHAL

        def initialize(allowed)
          @coder = Coder.new(Serializer.new(allowed), Compressor, legacy_serializer: Cache.format_version < 7.1)
        end

        def dump(entry)
          @coder.dump(entry)
        end

        def dump_compressed(entry, threshold)
          @coder.dump_compressed(entry, threshold)
        end

        # Versions are text: Rails would load one in Marshal, with any class in it. The same holds for compressed entries of Rails
        # 6.1.
        def load(bytes)
          return if bytes.b.start_with?(SIGNATURE) && bytes.byteslice(VERSION_AT, MARSHAL.bytesize).b == MARSHAL && version?(bytes)

          entry = @coder.load(bytes)
          entry if entry.is_a?(Entry) && !entry.compressed?
        rescue NoMethodError, TypeError, ArgumentError => e
          raise DeserializationError, e.message
        end

        private

        def version?(bytes)
          !bytes.byteslice(SIGNATURE.bytesize..).unpack(HEADER).last.negative?
        end

        # @private
        module Compressor # :nodoc:
          def self.deflate(bytes)
            Zlib.deflate(bytes)
          end

          def self.inflate(bytes)
            Zlib.inflate(bytes)
          rescue Zlib::Error => e
            raise DeserializationError, e.message
          end
        end

        # @private
        class Serializer # :nodoc:
          PLAIN = "\x00".b.freeze
          DEFLATED = "\x01".b.freeze

          def initialize(allowed)
            @allowed = allowed
          end

          # An entry where the format of Rails 7.0 is written, else a value.
          def dump(dumped)
            dumped.is_a?(Entry) ? SerializerWithFallback[:marshal_7_0].dump(dumped) : Marshal.dump(dumped)
          end

          def dump_compressed(entry, threshold)
            SerializerWithFallback[:marshal_7_0].dump_compressed(entry, threshold)
          end

          def load(bytes)
            if bytes.start_with?(PLAIN) then Entry.unpack(listed(bytes.byteslice(1..)))
            elsif bytes.start_with?(DEFLATED) then Entry.unpack(listed(Compressor.inflate(bytes.byteslice(1..))))
            else listed(bytes)
            end
          end

          private

          def listed(bytes)
            Leveret.load(bytes, @allowed)
          rescue Leveret::UnmarshalError => e
            raise DeserializationError, e.message
          end
        end
        private_constant :Compressor, :Serializer
      end
    end
  end
end
