# frozen_string_literal: true

# One cache per host, in shared memory, for all its processes. Leveret::Cache is where to begin; Dalli::Client, Memcached, MemCache and
# ActiveSupport::Cache::LeveretStore are for code that is written for these.
module Leveret
  # Of the gem. It is that of Cargo.toml; gems and packages of a development build have its own.
  VERSION = '0.2.0'
end
