# frozen_string_literal: true

require 'rack/session/abstract/id'
require_relative '../dalli'

# Rack's own.
module Rack
  # Rack's sessions.
  module Session
    # Rack's sessions in memcached or in an arena: the middleware of the gem dalli, with its keys and values, so hosts with either
    # share the sessions. Keys are Rack's private ids, as in Dalli 3.1 and later: a reader of the cache learns no cookie. A
    # session that Dalli 3.0 stored under the id of its cookie is found, and stored again under the private one: the switch logs
    # no user out. With <tt>private_ids: false</tt> keys stay the ids of the cookies, for hosts that share sessions with Dalli
    # 3.0.
    #
    #   use Rack::Session::Dalli, memcache_server: 'arena:sessions', expire_after: 1800
    #
    # Besides Rack's options it takes those of Dalli::Client, +memcache_server+ (a server or several; nil: $MEMCACHE_SERVERS), and
    # +pool_size+ and +pool_timeout+, which need the gem connection_pool. If no server can be reached, a request gets an empty
    # session, which is not stored.
    class Dalli < Abstract::PersistedSecure
      # Default options. Applications may change them, as those of the gem dalli.
      DEFAULT_DALLI_OPTIONS = { namespace: 'rack:session', memcache_server: 'localhost:11211' }

      # What the clients are taken from, by +with+.
      # @return [Dalli::Client, ConnectionPool]
      attr_reader :pool

      # Its name since Dalli 3.2.
      alias data pool

      # @param app [#call]
      # @param options [Hash]
      # @raise [RuntimeError] the option +cache+ is given
      def initialize(app, options = {})
        super
        raise 'Rack::Session::Dalli no longer supports the :cache option.' if options[:cache]

        @private_ids = options.fetch(:private_ids, true)
        @default_ttl = ttl(@default_options[:expire_after])
        @pool = make_pool(DEFAULT_DALLI_OPTIONS.merge(options.reject { |name, _| DEFAULT_OPTIONS.key?(name) }))
      end

      # @param _request [Rack::Request]
      # @param sid [Rack::Session::SessionId, nil]
      # @return [Array] the id and the session: a new one where there is none; nil and {} where no server can be reached
      def find_session(_request, sid)
        with_client([nil, {}]) do |client|
          session = stored(client, sid) if sid && !sid.empty?
          session ? [sid, session] : [new_session(client), {}]
        end
      end

      # @param _request [Rack::Request]
      # @param sid [Rack::Session::SessionId, nil]
      # @param session [Hash]
      # @param options [Hash] +expire_after+: seconds; nil: no end
      # @return [Rack::Session::SessionId, false] false: it was not stored, or it has been deleted since it was read
      def write_session(_request, sid, session, options)
        return false unless sid

        with_client(false) { |client| replace(client, sid, session, ttl(options[:expire_after])) && sid }
      end

      # @param _request [Rack::Request]
      # @param sid [Rack::Session::SessionId]
      # @param options [Hash] +drop+: no new id is made
      # @return [Rack::Session::SessionId, nil] the new id
      def delete_session(_request, sid, options)
        with_client do |client|
          client.delete(key(sid))
          client.delete(sid.public_id) if @private_ids
          new_session(client) unless options[:drop]
        end
      end

      # As Rack's older middlewares called them.
      alias get_session find_session
      alias set_session write_session
      alias destroy_session delete_session

      private

      def key(sid)
        @private_ids ? sid.private_id : sid.public_id
      end

      def stored(client, sid)
        # A browser may send the cookie without a value.
        return if sid.public_id.to_s.empty?

        client.get(key(sid)) || (client.get(sid.public_id) if @private_ids)
      end

      def make_pool(options)
        options.delete(:private_ids)
        servers = options.delete(:memcache_server)
        size, timeout = options.delete(:pool_size), options.delete(:pool_timeout)
        return ::Dalli::Client.new(servers, options) unless size || timeout

        require 'connection_pool'
        ConnectionPool.new(**{ size: size, timeout: timeout }.compact) { ::Dalli::Client.new(servers, options) }
      end

      # Of two visitors with the same new id only one stores it.
      def new_session(client)
        loop do
          sid = generate_sid
          break sid if client.add(key(sid), {}, @default_ttl)
        end
      end

      # A request that ends after a logout must not bring the session back, so only an existing session is written. One stored by
      # Dalli 3.0 exists under another key.
      def replace(client, sid, session, ttl)
        client.replace(key(sid), session, ttl) ||
          (@private_ids && client.get(sid.public_id) && client.set(key(sid), session, ttl))
      end

      # A missing class is an error of the application: an empty session in its place would overwrite the stored one.
      def with_client(failed = nil, &block)
        @pool.with(&block)
      rescue ::Dalli::DalliError => e
        raise if e.message.include?('undefined class')

        warn "#{self} is unable to find memcached server.", e.inspect if $VERBOSE
        failed
      end

      def ttl(expire_after)
        expire_after.nil? ? 0 : expire_after + 1
      end
    end
  end
end
