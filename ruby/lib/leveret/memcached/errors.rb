# frozen_string_literal: true

class Memcached
  # Of the gem whose calls these are.
  VERSION = '1.8.0'

  # What the gem raises: one class for each outcome of libmemcached.
  class Error < RuntimeError
    # @return [Boolean, nil] whether it is raised without a backtrace
    attr_accessor :no_backtrace

    # @return [Array<String>]
    def set_backtrace(*lines)
      @no_backtrace ? [] : super
    end

    # @return [Array<String>, nil] empty with #no_backtrace
    def backtrace
      @no_backtrace ? [] : super
    end
  end

  # By libmemcached's numbers.
  EXCEPTIONS = {
    1 => :Failure, 2 => :HostnameLookupFailure, 3 => :ConnectionFailure, 4 => :ConnectionBindFailure, 5 => :WriteFailure, 6 => :ReadFailure,
    7 => :UnknownReadFailure, 8 => :ProtocolError, 9 => :ClientError, 10 => :ServerError, 11 => :ConnectionSocketCreateFailure,
    12 => :ConnectionDataExists, 13 => :ConnectionDataDoesNotExist, 14 => :NotStored, 16 => :NotFound, 17 => :MemoryAllocationFailure,
    18 => :PartialRead, 19 => :SomeErrorsWereReported, 20 => :NoServersDefined, 21 => :ServerEnd, 22 => :ServerDelete, 23 => :ServerValue,
    24 => :StatValue, 25 => :EncounteredAnUnknownStatKey, 26 => :SystemError, 27 => :CouldNotOpenUnixSocket, 28 => :ActionNotSupported,
    29 => :FetchWasNotCompleted, 30 => :AKeyLengthOfZeroWasProvided, 31 => :ATimeoutOccurred, 32 => :ActionQueued,
    33 => :ABadKeyWasProvidedOrCharactersOutOfRange, 34 => :TheHostTransportProtocolDoesNotMatchThatOfTheClient, 35 => :ServerIsMarkedDead,
    36 => :ItemValue
  }.transform_values { |name| const_set(name, Class.new(Error)) }

  # What later versions of libmemcached tell apart, the gem's own did not.
  OLDER = { 37 => 10, 38 => 9, 47 => 35, 48 => 10 }.freeze

  # @param code [Integer] libmemcached's number
  # @return [Class] a child of Error, or Error itself
  # @private
  def self.exception_of(code)
    EXCEPTIONS[OLDER.fetch(code, code)] || Error
  end
end
