# frozen_string_literal: true

# Dalli::Client on Leveret's client: the calls, options and errors of the gem dalli, on memcached servers, on arenas, and on a
# <tt>leveret serve</tt> of this host through its arena. A later <tt>require 'dalli'</tt> gets this one.
require_relative '../leveret'
require_relative 'servers'

raise LoadError, 'the gem dalli is loaded already: require "leveret/dalli" before it' if defined?(Dalli::VERSION)

require 'digest/md5'
require 'zlib'
require 'stringio'

# The gem dalli's own name, so that code written for it runs unchanged.
module Dalli
  # Of the gem whose calls these are.
  VERSION = '3.2.8'
  # For programs that ask.
  MIN_SUPPORTED_MEMCACHED_VERSION = '1.4'

  # Base class of a client's errors.
  class DalliError < RuntimeError; end
  # For programs that name it: failures of servers are raised as a RingError.
  class NetworkError < DalliError; end
  # No server could be asked.
  class RingError < DalliError; end
  # A value cannot be serialized.
  class MarshalError < DalliError; end
  # A stored value cannot be read: it is damaged, or names a class that is missing or not allowed.
  class UnmarshalError < DalliError; end
  # A value takes more bytes than +value_max_bytes+ (1 MB), after its compression.
  class ValueOverMaxSize < DalliError; end
  # Never raised: in a quiet block everything may be asked. For programs that name it.
  class NotPermittedMultiOpError < DalliError; end

  # A miss when nil is a value (cache_nils).
  class NilObject; end
  # What #get answers for a miss with <tt>cache_nils: true</tt>.
  NOT_FOUND = NilObject.new

  # Under this name a thread (or a fiber) keeps the clients that are in a #quiet block of its own: nil where there are none.
  QUIET = :dalli_multi

  class << self
    # Sets the Logger.
    attr_writer :logger

    # What is written to: what was set, else Rails' own, else default_logger.
    # @return [Logger]
    def logger
      @logger ||= (defined?(Rails) && Rails.respond_to?(:logger) && Rails.logger) || default_logger
    end

    # @return [Logger] of the standard output, from the level info
    def default_logger
      require 'logger'
      Logger.new($stdout, level: Logger::INFO)
    end
  end
end

require_relative 'dalli/compressor'
require_relative 'dalli/keys'
require_relative 'dalli/metadata'
require_relative 'dalli/values'
require_relative 'dalli/client'
require_relative 'dalli/client_recache'

# `require 'dalli'` and `require 'rack/session/dalli'` find ours here.
$LOAD_PATH.unshift(File.expand_path('dalli/in_place', __dir__))
