# frozen_string_literal: true

# One cache per host, in shared memory, for all its processes. Leveret::Cache is where to begin; Dalli::Client, Memcached, MemCache and
# ActiveSupport::Cache::LeveretStore are for code that is written for these.
module Leveret
  # Of the gem.
  VERSION = '0.1.0'
end
