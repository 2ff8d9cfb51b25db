# frozen_string_literal: true

# The class MemCache of the gem memcache-client, on memcached servers, on arenas, and on a <tt>leveret serve</tt> of this host through
# its arena. A later <tt>require 'memcache'</tt> gets this one.
require_relative '../leveret'
require_relative 'tls'

raise LoadError, 'the gem memcache-client is loaded already: require "leveret/memcache" before it' if defined?(MemCache)

require 'digest/sha1'
require_relative 'memcache/server'
require_relative 'memcache/client'

$LOAD_PATH.unshift(File.expand_path('memcache/in_place', __dir__))
