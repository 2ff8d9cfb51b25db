# frozen_string_literal: true

class Memcached
  # The pools with unsent writes (+buffer_requests+). Each stays alive, so unsent writes are not lost with an unreferenced client:
  # the garbage collector sends nothing. They are sent at the end of the program, or when too many others wait.
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

      # No caller asked for these writes to be sent now, so failures are not reported. A fork has none: they belong to its parent.
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
