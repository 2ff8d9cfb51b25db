# frozen_string_literal: true

class Memcached
  # The pools in which writes wait to be sent (+buffer_requests+). Each stays alive, and so unsent writes are not lost with a client that nobody
  # refers to any more: the garbage collector sends nothing. They are sent as the program ends, or when too many others wait.
  # @private
  module Waiting
    # Pools that may wait at a time.
    MOST = 16

    @mutex = Mutex.new
    @pools = {}.compare_by_identity

    class << self
      # +pool+ has writes that wait.
      def add(pool)
        oldest = @mutex.synchronize do
          @pools[pool] = true
          @pools.shift.first if @pools.size > MOST
        end
        flush(oldest) if oldest
      end

      # Sends the writes of all pools.
      def flush_all
        flush(@mutex.synchronize { @pools.shift&.first }) until @pools.empty?
      end

      private

      # The caller did not ask to send these writes now, so a failure is not reported. A fork has none: they are its parent's.
      def flush(pool)
        pool&.flush_quiet
      rescue Leveret::Error
        nil
      end
    end

    at_exit { flush_all }
  end
  private_constant :Waiting
end
