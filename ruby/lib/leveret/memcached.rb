# frozen_string_literal: true

# The class Memcached of the gem memcached 1.8, and Memcached::Rails, on memcached servers, on arenas, and on a <tt>leveret serve</tt>
# of this host through its arena. A later <tt>require 'memcached'</tt> gets this one.
require_relative '../leveret'
require_relative 'tls'

raise LoadError, 'the gem memcached is loaded already: require "leveret/memcached" before it' if defined?(Memcached)

require_relative 'memcached/errors'
require_relative 'memcached/settings'
require_relative 'memcached/waiting'
require_relative 'memcached/client'
require_relative 'memcached/rails'

$LOAD_PATH.unshift(File.expand_path('memcached/in_place', __dir__))
