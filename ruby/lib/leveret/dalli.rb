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
  MIN_SUPPORTED_MEMCACHED_VERSION = '1.4'

  class DalliError < RuntimeError; end
  class NetworkError < DalliError; end
  class RingError < DalliError; end
  class MarshalError < DalliError; end
  class UnmarshalError < DalliError; end
  class ValueOverMaxSize < DalliError; end
  # Never raised: in a quiet block everything may be asked. For programs that name it.
  class NotPermittedMultiOpError < DalliError; end

  # What a miss is where nil is a value (cache_nils).
  class NilObject; end
  NOT_FOUND = NilObject.new

  class << self
    attr_writer :logger

    def logger
      @logger ||= (defined?(Rails) && Rails.respond_to?(:logger) && Rails.logger) || default_logger
    end

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

# `require 'dalli'` and `require 'rack/session/dalli'` find ours here.
$LOAD_PATH.unshift(File.expand_path('dalli/in_place', __dir__))
