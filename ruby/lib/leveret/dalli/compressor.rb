# frozen_string_literal: true

module Dalli
  # zlib, what Dalli compresses with by default.
  class Compressor
    def self.compress(data)
      Zlib::Deflate.deflate(data)
    end

    def self.decompress(data)
      Zlib::Inflate.inflate(data)
    end
  end

  # gzip: zlib with a checksum of its own.
  class GzipCompressor
    def self.compress(data)
      Zlib.gzip(data)
    end

    def self.decompress(data)
      Zlib.gunzip(data)
    end
  end
end
