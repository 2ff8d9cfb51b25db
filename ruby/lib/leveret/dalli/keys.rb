# frozen_string_literal: true

module Dalli
  # Keys as they are sent: with the namespace before them, and a digest in place of a long key.
  # @private
  class KeyManager
    LENGTH_MAX = 250
    MARK = ':md5:'

    attr_reader :namespace

    def initialize(options)
      @digest_class = options[:digest_class] || Digest::MD5
      raise ArgumentError, 'The digest_class object must respond to the hexdigest method' unless @digest_class.respond_to?(:hexdigest)

      @namespace = options[:namespace]
      @namespace = @namespace.to_s unless @namespace.nil? || @namespace.is_a?(Proc)
      @prefix = "#{@namespace}:" if @namespace.is_a?(String)
    end

    def validate_key(key)
      raise ArgumentError, 'key cannot be blank' if key.nil? || key.empty?

      prefix = self.prefix
      key = "#{prefix}#{key}" if prefix
      # Characters, as Dalli counts: a key of 250 that are not all one byte long is refused by the server.
      key.length > LENGTH_MAX ? truncated(key) : key
    end

    def key_without_namespace(key)
      prefix = self.prefix
      prefix ? key.delete_prefix(prefix) : key
    end

    private

    # A Proc is called for each key.
    def prefix
      @prefix || (@namespace && "#{@namespace.call}:")
    end

    # Dalli's lengths: 249 characters in all, 250 with a namespace.
    def truncated(key)
      digest = @digest_class.hexdigest(key)
      length = (@namespace ? LENGTH_MAX : LENGTH_MAX - 1) - MARK.length - digest.length
      "#{key[0, length]}#{MARK}#{digest}"
    end
  end
end
