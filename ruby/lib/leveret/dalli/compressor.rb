# frozen_string_literal: true

module Dalli
  # zlib, what Dalli compresses with by default.
  # Another module with these two methods may be given as the option +compressor+.
  class Compressor
    # @param data [String]
    # @return [String] fewer bytes, as a rule
    def self.compress(data)
      Zlib::Deflate.deflate(data)
    end

    # @param data [String] what .compress has made
    # @return [String]
    # @raise [Zlib::Error] it is damaged
    def self.decompress(data)
      Zlib::Inflate.inflate(data)
    end
  end

  # gzip: zlib with a checksum of its own.
  class GzipCompressor
    # @param data [String]
    # @return [String] fewer bytes, as a rule
    def self.compress(data)
      Zlib.gzip(data)
    end

    # @param data [String] what .compress has made
    # @return [String]
    # @raise [Zlib::Error] it is damaged
    def self.decompress(data)
      Zlib.gunzip(data)
    end
  end
end
