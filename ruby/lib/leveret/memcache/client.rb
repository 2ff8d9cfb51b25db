# frozen_string_literal: true

# The client of the gem memcache-client 1.8. See its own documentation for what the calls mean: stores answer with the server's own
# line ("STORED\r\n"), counts with a number or nil.
#
# A further option is +classes+ (classes, modules or their names): all that Marshal data may name. What names another one raises
# MemCacheError, and nothing of it is made. Another is +tls+: how servers named <tt>tls://host</tt> are spoken with.
class MemCache
  Pool = Leveret::Pool
  private_constant :Pool

  # The options and their defaults; +timeout+ is in seconds, nil: no time-out. Applications may change it.
  DEFAULT_OPTIONS = { namespace: nil, readonly: false, multithread: true, failover: true, timeout: 0.5, logger: nil, no_reply: false,
                      check_size: true, autofix_keys: false, namespace_separator: ':', classes: nil, tls: nil }
  # Bytes of the largest value, unless <tt>check_size: false</tt> is given.
  ONE_MB = 1024 * 1024
  # Characters of the longest key.
  KEY_MAX = 250

  # The options of these names, and the servers.
  attr_reader :namespace, :multithread, :autofix_keys, :servers, :timeout, :failover, :logger, :no_reply

  # @overload initialize(servers = [], options = {})
  #   @param servers [Array<String, Server>, String]
  #   @param options [Hash] of DEFAULT_OPTIONS
  #   @raise [ArgumentError] a server cannot be understood, or these are other arguments
  def initialize(*args)
    servers, opts = arguments(args)
    opts = DEFAULT_OPTIONS.merge(opts)
    @namespace, @namespace_separator = opts.values_at(:namespace, :namespace_separator)
    @readonly, @multithread, @autofix_keys = opts.values_at(:readonly, :multithread, :autofix_keys)
    @timeout, @failover, @logger, @no_reply, @check_size = opts.values_at(:timeout, :failover, :logger, :no_reply, :check_size)
    @allowed = Leveret.class_list(opts[:classes])
    @tls = opts[:tls]
    logger&.info { "memcache-client #{VERSION} #{Array(servers).inspect}" }
    self.servers = servers
  end

  # @return [String]
  def inspect
    format('<MemCache: %<count>d servers, ns: %<namespace>p, ro: %<readonly>p>', count: @servers.length, namespace: @namespace, readonly: @readonly)
  end

  # @return [Boolean] whether it has servers
  def active?
    !@servers.empty?
  end

  # @return [Boolean] whether stores and deletes raise
  def readonly?
    @readonly
  end

  # @param servers [Array<String, Server>, String] "host:port:weight", "/socket", "arena:NAME"
  # @raise [ArgumentError] one cannot be understood
  def servers=(servers)
    @servers = Array(servers).map { |server| server.is_a?(String) ? Server.parse(self, server) : server }
    @pool = make_pool
    logger&.debug { "Servers now: #{@servers.inspect}" }
  end

  # --- reading ---

  # The value of a key.
  # @param key [String, Symbol] with the namespace at most 250 characters, without a blank
  # @param raw [Boolean] its bytes as they are
  # @return [Object, nil] nil: a miss
  # @raise [MemCacheError] no server can be asked, or it refuses; what is there cannot be read
  # @raise [ArgumentError] the key is empty, too long, or has a blank in it
  def get(key, raw = false)
    bytes, flags = asking { @pool.fetch(wire_key(key), false) }
    bytes && loaded(bytes, flags, raw)
  end
  alias [] get

  # The value of a key; where there is none, that of the block, which is added.
  # @param key [String, Symbol] with the namespace at most 250 characters, without a blank
  # @param expiry [#to_i] seconds; 0: no end; above 30 days: a Unix time
  # @param raw [Boolean] the bytes of to_s, without Marshal
  # @yieldreturn [Object] the value to add
  # @return [Object, nil]
  # @raise [MemCacheError] no server can be asked, or it refuses; what is there cannot be read; the cache is readonly
  # @raise [ArgumentError] the key is empty, too long, or has a blank in it
  def fetch(key, expiry = 0, raw = false)
    value = get(key, raw)
    if value.nil? && block_given?
      value = yield
      add(key, value, expiry, raw)
    end
    value
  end

  # The values of many keys, of all servers at once.
  # @param keys [Array<String, Symbol>] also in arrays; at the end <tt>raw: true</tt> may stand
  # @return [Hash{String, Symbol => Object}] what was found; a server that fails counts as a miss
  # @raise [MemCacheError] there is no server, or a value cannot be read
  # @raise [ArgumentError] a key is empty, too long, or has a blank in it
  def get_multi(*keys)
    raise MemCacheError, 'No active servers' unless active?

    raw = keys.last.is_a?(Hash) && keys.pop[:raw]
    keys.flatten!
    rows = asking { @pool.fetch_multi(keys.map { |key| wire_key(key) }, false) }
    found = {}
    rows.each_with_index { |(bytes, flags), place| found[keys[place]] = loaded(bytes, flags, raw) if rows[place] }
    found
  end

  # --- storing ---

  # Stores a value unconditionally.
  # @param key [String, Symbol] with the namespace at most 250 characters, without a blank
  # @param value [Object]
  # @param expiry [#to_i] seconds; 0: no end; above 30 days: a Unix time
  # @param raw [Boolean] the bytes of to_s, without Marshal
  # @return [String, nil] "STORED\r\n" or "NOT_STORED\r\n"; nil with <tt>no_reply: true</tt>
  # @raise [MemCacheError] no server can be asked, or it refuses; the value takes more than ONE_MB; what is there cannot be read; the cache
  #   is readonly
  # @raise [ArgumentError] the key is empty, too long, or has a blank in it
  def set(key, value, expiry = 0, raw = false)
    bytes, flags = dumped(value, raw)
    if @check_size && bytes.bytesize > ONE_MB
      raise MemCacheError, 'Value too large, memcached can only store 1MB of data per key'
    end

    put(Pool::SET, key, bytes, flags, expiry, 'NOT_STORED')
  end

  # As #set, without an end.
  # @param key [String, Symbol]
  # @param value [Object]
  # @raise [MemCacheError] no server can be asked, or it refuses; what is there cannot be read; the cache is readonly
  # @raise [ArgumentError] the key is empty, too long, or has a blank in it
  def []=(key, value)
    set(key, value)
  end

  # Stores a value where there is none.
  # @param key [String, Symbol] with the namespace at most 250 characters, without a blank
  # @param value [Object]
  # @param expiry [#to_i] seconds; 0: no end; above 30 days: a Unix time
  # @param raw [Boolean] the bytes of to_s, without Marshal
  # @return [String, nil] "STORED\r\n" or "NOT_STORED\r\n"; nil with <tt>no_reply: true</tt>
  # @raise [MemCacheError] no server can be asked, or it refuses; what is there cannot be read; the cache is readonly
  # @raise [ArgumentError] the key is empty, too long, or has a blank in it
  def add(key, value, expiry = 0, raw = false)
    put(Pool::ADD, key, *dumped(value, raw), expiry, 'NOT_STORED')
  end

  # Stores a value in place of one that is there.
  # @param key [String, Symbol] with the namespace at most 250 characters, without a blank
  # @param value [Object]
  # @param expiry [#to_i] seconds; 0: no end; above 30 days: a Unix time
  # @param raw [Boolean] the bytes of to_s, without Marshal
  # @return [String, nil] "STORED\r\n", or "NOT_FOUND\r\n" or "NOT_STORED\r\n" where there is none; nil with <tt>no_reply: true</tt>
  # @raise [MemCacheError] no server can be asked, or it refuses; what is there cannot be read; the cache is readonly
  # @raise [ArgumentError] the key is empty, too long, or has a blank in it
  def replace(key, value, expiry = 0, raw = false)
    put(Pool::REPLACE, key, *dumped(value, raw), expiry, 'NOT_STORED')
  end

  # Joins bytes to the end of a value.
  # @param key [String, Symbol] with the namespace at most 250 characters, without a blank
  # @param value [#to_s]
  # @return [String, nil] "STORED\r\n", or another line where there is nothing; nil with <tt>no_reply: true</tt>
  # @raise [MemCacheError] no server can be asked, or it refuses; what is there cannot be read; the cache is readonly
  # @raise [ArgumentError] the key is empty, too long, or has a blank in it
  def append(key, value)
    put(Pool::APPEND, key, value.to_s, 0, 0, 'NOT_STORED')
  end

  # Joins bytes to the beginning of a value.
  # @param key [String, Symbol] with the namespace at most 250 characters, without a blank
  # @param value [#to_s]
  # @return [String, nil] "STORED\r\n", or another line where there is nothing; nil with <tt>no_reply: true</tt>
  # @raise [MemCacheError] no server can be asked, or it refuses; what is there cannot be read; the cache is readonly
  # @raise [ArgumentError] the key is empty, too long, or has a blank in it
  def prepend(key, value)
    put(Pool::PREPEND, key, value.to_s, 0, 0, 'NOT_STORED')
  end

  # Stores what the block makes of the value, unless another one was stored meanwhile.
  # @param key [String, Symbol] with the namespace at most 250 characters, without a blank
  # @param expiry [#to_i] seconds; 0: no end; above 30 days: a Unix time
  # @param raw [Boolean] the bytes of to_s, without Marshal
  # @yieldparam value [Object]
  # @yieldreturn [Object] what is to be there
  # @return [String, nil] "STORED\r\n", "EXISTS\r\n" (another client was faster) or "NOT_FOUND\r\n"; nil: there is nothing
  # @raise [MemCacheError] there is no block; no server can be asked, or it refuses; what is there cannot be read; the cache is readonly
  # @raise [ArgumentError] the key is empty, too long, or has a blank in it
  def cas(key, expiry = 0, raw = false)
    writing
    raise MemCacheError, 'A block is required' unless block_given?

    bytes, flags, version = asking { @pool.fetch(wire_key(key), true) }
    value = loaded(bytes, flags, raw) if bytes
    return nil unless value

    put(Pool::CAS, key, *dumped(yield(value), raw), expiry, 'EXISTS', version)
  end

  # The expiry has no meaning, as in the gem.
  # Deletes an item.
  # @param key [String, Symbol] with the namespace at most 250 characters, without a blank
  # @return [String, nil] "DELETED\r\n" or "NOT_FOUND\r\n"; nil with <tt>no_reply: true</tt>
  # @raise [MemCacheError] no server can be asked, or it refuses; what is there cannot be read; the cache is readonly
  # @raise [ArgumentError] the key is empty, too long, or has a blank in it
  def delete(key, _expiry = 0)
    writing
    return quietly { @pool.delete_quietly(wire_key(key)) } if @no_reply

    asking { @pool.delete(wire_key(key), 0) } ? "DELETED\r\n" : "NOT_FOUND\r\n"
  end

  # --- counting ---

  # Adds to a number of 64 bits that was stored raw.
  # @param key [String, Symbol] with the namespace at most 250 characters, without a blank
  # @param amount [Integer] 0 or more
  # @return [Integer, nil] the new number; nil: there is nothing
  # @raise [MemCacheError] no server can be asked, or it refuses; what is there cannot be read; the cache is readonly
  # @raise [ArgumentError] the key is empty, too long, or has a blank in it
  def incr(key, amount = 1)
    count(Pool::INCREMENT, key, amount)
  end

  # Takes from a number that was stored raw, down to 0.
  # @param key [String, Symbol] with the namespace at most 250 characters, without a blank
  # @param amount [Integer] 0 or more
  # @return [Integer, nil] the new number; nil: there is nothing
  # @raise [MemCacheError] no server can be asked, or it refuses; what is there cannot be read; the cache is readonly
  # @raise [ArgumentError] the key is empty, too long, or has a blank in it
  def decr(key, amount = 1)
    count(Pool::DECREMENT, key, amount)
  end

  # --- servers ---

  # The server after the next is emptied that many seconds later.
  # @param delay [Integer] seconds
  # @return [Object] nothing of use
  # @raise [MemCacheError] there is no server, one does not answer, or the cache is readonly
  def flush_all(delay = 0)
    raise MemCacheError, 'No active servers' unless active?

    writing
    @servers.each_index { |index| asking { @pool.ask_server(index, Pool::FLUSH, '', delay * index) } or raise MemCacheError, 'No connection to server' }
  end

  # Ends the connections; a later call opens them again.
  # @return [Array<Server>]
  def reset
    @pool.quit
    @servers
  end

  # What the servers say about themselves.
  # @return [Hash{String => Hash{String => String, Integer, Float}}] by their names; those that do not answer are left out
  # @raise [MemCacheError] none answers
  def stats
    raise MemCacheError, 'No active servers' unless active?

    said = @servers.each_with_index.to_h { |server, index| [server.name, @pool.ask_server(index, Pool::STATS, '', 0)] }.compact
    raise MemCacheError, 'No active servers' if said.empty?

    said.transform_values { |stats| stats.to_h { |name, value| [name, number(name, value)] } }
  end

  # @param server [Server] one of #servers
  # @return [Boolean] whether there is a connection to it, or one can be made
  def reach?(server)
    @pool.reach?(@servers.index(server))
  end

  private

  def arguments(args)
    case args
    in [] then [[], {}]
    in [Hash => opts] then [[], opts]
    in [Array => servers] then [servers, {}]
    in [String => server] then [[server], {}]
    in [_] then raise ArgumentError, 'first argument must be Array, Hash or String'
    in [servers, opts] then [servers, opts]
    else raise ArgumentError, "wrong number of arguments (#{args.length} for 2)"
    end
  end

  def make_pool
    pool = Pool.new(nil, @allowed)
    pool.set_option(Pool::RING, Pool::RING_DALLI) # whose ring is this gem's
    pool.set_option(Pool::PROTOCOL, Pool::TEXT)
    milliseconds = @timeout ? (@timeout * 1000).ceil : 100_000_000
    pool.set_option(Pool::CONNECT_TIMEOUT_MS, milliseconds)
    pool.set_option(Pool::POLL_TIMEOUT_MS, milliseconds)
    pool.set_option(Pool::RETRY_TIMEOUT_S, 30)
    pool.set_option(Pool::FAILOVER_ATTEMPTS, @failover ? 20 : 0)
    Leveret::Tls.set(pool, { tls: @tls })
    @servers.each { |server| pool.add_server(server.host, server.port, server.weight, nil) }
    pool
  end

  def writing
    raise MemCacheError, 'Update of readonly cache' if @readonly
  end

  def wire_key(key)
    raise MemCacheError, 'No active servers' unless active?

    key = named(key)
    raise ArgumentError, "illegal character in key #{key.inspect}" if key.match?(/\s/)
    raise ArgumentError, 'key cannot be blank' if key.strip.empty?
    raise ArgumentError, "key too long #{key.inspect}" if key.length > KEY_MAX

    key
  end

  def named(key)
    before = @namespace ? "#{@namespace}#{@namespace_separator}" : ''
    key = key.to_s
    key = "#{Digest::SHA1.hexdigest(key)}-autofixed" if @autofix_keys && (key.match?(/\s/) || before.length + key.length > KEY_MAX)
    before.empty? ? key : before + key
  end

  # In an arena the item says that it is Marshal, as its flags, always 0, do not.
  def dumped(value, raw)
    raw ? [value.to_s, 0] : [Marshal.dump(value), Pool::IS_MARSHAL]
  end

  # Without flags it is a value already: another entrance of the arena has stored it.
  def loaded(bytes, flags, raw)
    return bytes if raw || flags.nil?

    @allowed ? Leveret.load(bytes, @allowed) : Marshal.load(bytes)
  rescue TypeError, Leveret::UnmarshalError => e
    raise MemCacheError, e.message, e.backtrace
  end

  def put(operation, key, bytes, flags, expiry, otherwise, version = 0)
    writing
    expiry = expiry.to_i
    return quietly { @pool.store_quietly(operation, wire_key(key), bytes, flags, expiry) } if @no_reply && version.zero?

    stored = asking { @pool.store(operation, wire_key(key), bytes, flags, expiry, version) }
    return "NOT_FOUND\r\n" if stored.nil?

    stored ? "STORED\r\n" : "#{otherwise}\r\n"
  end

  def quietly
    yield
    @pool.flush_quiet
    nil
  end

  def count(operation, key, amount)
    writing
    asking { @pool.count(operation, wire_key(key), amount, nil, 0) }
  end

  def number(name, value)
    return value if name == 'version'
    return value.to_f if name.start_with?('rusage_')

    value.match?(/\A\d+\z/) ? value.to_i : value
  end

  def asking
    yield
  rescue Leveret::Pool::Failed => e
    logger&.warn { "Server failed: #{e.message}" }
    raise MemCacheError, @servers.size > 1 ? 'No servers available' : "No connection to server (#{e.message})"
  rescue Leveret::Error => e
    raise MemCacheError, e.message.sub(/\A(?:CLIENT_|SERVER_)?ERROR ?/, '')
  end
end
