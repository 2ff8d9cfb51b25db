# frozen_string_literal: true

# The client of the gem memcached 1.8: a missing key raises. Its own documentation describes the methods.
#
# A further option is +classes+ (classes, modules or their names): the only ones that Marshal data may name. Others raise
# Memcached::Error before any object is created.
class Memcached
  Pool = Leveret::Pool
  private_constant :Pool

  # @return [Hash{Symbol => Object}] all options, without credentials
  attr_reader :options

  # @param servers [String, Array<String>, nil] "host:port:weight", a socket, "arena:NAME"; nil: $MEMCACHE_SERVERS, else 127.0.0.1:11211
  # @param opts [Hash] of DEFAULTS
  # @raise [ArgumentError] an option is unknown or has no meaning, or a server cannot be understood
  def initialize(servers = nil, opts = {})
    @settings = Settings.new(opts)
    @options = @settings.options
    @default_ttl = @options[:default_ttl]
    @codec = @settings.codec
    @prefix = ''
    set_prefix_key(@options[:prefix_key])
    set_servers(servers)
  end

  # --- servers and keys ---

  # @param servers [String, Array<String>, nil]
  # @raise [ArgumentError] one cannot be understood
  def set_servers(servers)
    @servers = @settings.servers(servers)
    @pool = @settings.pool(@servers)
    @pool.set_prefix(@prefix) unless @options[:hash_with_prefix_key]
  end

  # @return [Array<String>] host:port, with the weight where keys are placed by it
  def servers
    @servers.map { |server| @settings.name(server) }
  end

  # @param key [String, nil] what all keys begin with; nil: nothing
  # @raise [ArgumentError] it has, with its delimiter, more than PREFIX_MAX characters
  def set_prefix_key(key)
    prefix = key ? key + @options[:prefix_delimiter] : ''
    raise ArgumentError, "Max prefix key + prefix delimiter size is #{PREFIX_MAX}" if prefix.size > PREFIX_MAX

    @prefix = prefix
    @pool&.set_prefix(prefix) unless @options[:hash_with_prefix_key]
  end

  # @return [String] what all keys begin with, without the delimiter
  def prefix_key
    @prefix.delete_suffix(@options[:prefix_delimiter])
  end

  # @return [Memcached] one with connections of its own
  def clone
    copy = super
    copy.set_servers(@servers)
    copy
  end
  alias dup clone

  # Closes the connections and reconnects.
  # @param current_servers [String, Array<String>, nil] others; nil: the same
  # @raise [ArgumentError] one cannot be understood
  def reset(current_servers = nil)
    quit
    set_servers(current_servers || @servers)
  end

  # Ends the connections; a later call opens them again.
  # @return [self]
  def quit
    @pool.quit
    self
  end

  # @param error [Exception]
  # @return [Boolean] whether it is of a class in +exceptions_to_retry+
  def should_retry(error)
    @options[:exceptions_to_retry].any? { |type| error.instance_of?(type) }
  end

  # @param key [String] with the prefix at most 250 bytes
  # @return [String] the server where the key lives
  def server_by_key(key)
    @settings.name(@servers[@pool.locate(wire_key(key))])
  end

  # --- storing ---

  # Stores a value unconditionally.
  # @param key [String] with the prefix at most 250 bytes
  # @param value [Object]
  # @param ttl [Integer] seconds; 0: no end; above 30 days: a Unix time
  # @param encode [Boolean] by the codec; false: the String itself
  # @param flags [Integer] 32 bits
  # @return [nil]
  # @raise [NotStored]
  # @raise [Error] a child that says what the server, or the way to it, has answered
  # @raise [TypeError] the key, or a ttl, is of another class
  def set(key, value, ttl = @default_ttl, encode = true, flags = FLAGS)
    put(Pool::SET, key, value, ttl, encode, flags)
  end

  # Stores a value where there is none.
  # @param key [String] with the prefix at most 250 bytes
  # @param value [Object]
  # @param ttl [Integer] seconds; 0: no end; above 30 days: a Unix time
  # @param encode [Boolean] by the codec; false: the String itself
  # @param flags [Integer] 32 bits
  # @return [nil]
  # @raise [NotStored] something is there
  # @raise [Error] a child that says what the server, or the way to it, has answered
  # @raise [TypeError] the key, or a ttl, is of another class
  def add(key, value, ttl = @default_ttl, encode = true, flags = FLAGS)
    put(Pool::ADD, key, value, ttl, encode, flags)
  end

  # Stores a value in place of one that is there.
  # @param key [String] with the prefix at most 250 bytes
  # @param value [Object]
  # @param ttl [Integer] seconds; 0: no end; above 30 days: a Unix time
  # @param encode [Boolean] by the codec; false: the String itself
  # @param flags [Integer] 32 bits
  # @return [nil]
  # @raise [NotStored] there is nothing
  # @raise [Error] a child that says what the server, or the way to it, has answered
  # @raise [TypeError] the key, or a ttl, is of another class
  def replace(key, value, ttl = @default_ttl, encode = true, flags = FLAGS)
    put(Pool::REPLACE, key, value, ttl, encode, flags)
  end

  # Joins bytes to the end of a value.
  # @param key [String] with the prefix at most 250 bytes
  # @param value [#to_s]
  # @return [nil]
  # @raise [NotStored] there is nothing
  # @raise [Error] a child that says what the server, or the way to it, has answered
  # @raise [TypeError] the key, or a ttl, is of another class
  def append(key, value)
    put(Pool::APPEND, key, value.to_s, 0, false, 0)
  end

  # Joins bytes to the beginning of a value.
  # @param key [String] with the prefix at most 250 bytes
  # @param value [#to_s]
  # @return [nil]
  # @raise [NotStored] there is nothing
  # @raise [Error] a child that says what the server, or the way to it, has answered
  # @raise [TypeError] the key, or a ttl, is of another class
  def prepend(key, value)
    put(Pool::PREPEND, key, value.to_s, 0, false, 0)
  end

  # Deletes an item.
  # @param key [String] with the prefix at most 250 bytes
  # @return [nil]
  # @raise [NotFound] there is nothing; not with +no_block+
  # @raise [Error] a child that says what the server, or the way to it, has answered
  # @raise [TypeError] the key, or a ttl, is of another class
  def delete(key)
    return say_nothing { @pool.delete_quietly(wire_key(key)) } if quiet?

    asking(key) { @pool.delete(wire_key(key), 0) or raise_plain(NotFound) }
    nil
  end

  # The block gets the value, or for an Array of keys a Hash of those that were found, and gives what is to be stored.
  # @param keys [String, Array<String>]
  # @param ttl [Integer] seconds; 0: no end; above 30 days: a Unix time
  # @param decode [Boolean] by the codec, both ways
  # @return [Object] of an Array of keys a Hash of those that were stored
  # @raise [NotFound] there is nothing
  # @raise [ConnectionDataExists] another client has stored a value meanwhile
  # @raise [ClientError] without the option +support_cas+
  # @raise [Error] a child that says what the server, or the way to it, has answered
  # @raise [TypeError] the key, or a ttl, is of another class
  def cas(keys, ttl = @default_ttl, decode = true)
    raise ClientError, 'CAS not enabled for this Memcached instance' unless @options[:support_cas]
    return cas_many(keys, ttl, decode) { |found| yield found } if keys.is_a?(Array)

    value, flags, cas = asking(keys) { @pool.fetch(wire_key(keys), true) } || raise_plain(NotFound)
    store_cas(keys, yield(decoded(keys, value, flags, decode)), ttl, flags || FLAGS, cas, decode)
  end
  alias compare_and_swap cas

  # --- counting ---

  # Adds to a number of 64 bits.
  # @param key [String] with the prefix at most 250 bytes
  # @param offset [Integer] 0 or more
  # @return [Integer] the new number
  # @raise [NotFound] there is nothing
  # @raise [Error] a child that says what the server, or the way to it, has answered
  # @raise [TypeError] the key, or a ttl, is of another class
  def increment(key, offset = 1)
    count(Pool::INCREMENT, key, offset)
  end
  alias incr increment

  # Takes from a number, down to 0.
  # @param key [String] with the prefix at most 250 bytes
  # @param offset [Integer] 0 or more
  # @return [Integer] the new number
  # @raise [NotFound] there is nothing
  # @raise [Error] a child that says what the server, or the way to it, has answered
  # @raise [TypeError] the key, or a ttl, is of another class
  def decrement(key, offset = 1)
    count(Pool::DECREMENT, key, offset)
  end
  alias decr decrement

  # --- reading ---

  # One key: its value, or NotFound. An Array: a Hash of those that were found, all servers asked at once.
  # @param keys [String, Array<String>]
  # @param decode [Boolean] by the codec; false: the bytes
  # @return [Object, Hash{String => Object}]
  # @raise [NotFound] there is nothing; not for an Array
  # @raise [Error] a child that says what the server, or the way to it, has answered
  # @raise [TypeError] the key, or a ttl, is of another class
  def get(keys, decode = true)
    return get_many(keys, decode) if keys.is_a?(Array)

    value, flags = asking(keys) { @pool.fetch(wire_key(keys), false) } || raise_plain(NotFound)
    decoded(keys, value, flags, decode)
  end

  # @param key [String] with the prefix at most 250 bytes
  # @return [nil] there is something
  # @raise [NotFound] there is nothing
  # @raise [Error] a child that says what the server, or the way to it, has answered
  # @raise [TypeError] the key, or a ttl, is of another class
  def exist(key)
    asking(key) { @pool.fetch(wire_key(key), false) } or raise_plain(NotFound)
    nil
  end

  # Of the distribution +random+, which is not there.
  # @raise [ArgumentError] always
  def get_from_last(_key, _decode = true)
    raise ArgumentError, 'get_from_last() is not useful unless :random distribution is enabled.'
  end

  # --- servers' own ---

  # Empties all servers.
  # @return [nil]
  # @raise [Error] one cannot be asked
  def flush
    @servers.each_index { |index| asking(nil) { @pool.ask_server(index, Pool::FLUSH, '', 0) } or raise ConnectionFailure }
    nil
  end

  # Symbol => what each server says, in their order.
  # @param subcommand [String, nil] as "items"
  # @return [Hash{Symbol => Array}]
  # @raise [SomeErrorsWereReported] one does not answer
  def stats(subcommand = nil)
    stats = Hash.new([])
    @servers.each_index do |index|
      said = @pool.ask_server(index, Pool::STATS, subcommand.to_s, 0) or raise SomeErrorsWereReported, 'Error getting stats'
      said.each { |name, value| stats[name.to_sym] += [number(value)] }
    end
    stats
  end

  private

  def wire_key(key)
    raise TypeError, "no implicit conversion of #{key.nil? ? 'nil' : key.class} into String" unless key.is_a?(String)

    @prefix.empty? ? key : @prefix + key
  end

  def quiet?
    @options[:no_block]
  end

  # Without blocking no outcome is told.
  def say_nothing
    yield
    @options[:buffer_requests] ? Waiting.add(@pool) : @pool.flush_quiet
    nil
  end

  def put(operation, key, value, ttl, encode, flags)
    raise TypeError, "no implicit conversion of #{ttl.class} into Integer" unless ttl.is_a?(Integer)

    value, flags = encoded(key, value, encode, flags)
    return say_nothing { @pool.store_quietly(operation, wire_key(key), value, flags, ttl) } if quiet?

    asking(key) { @pool.store(operation, wire_key(key), value, flags, ttl, 0) or raise_plain(NotStored) }
    nil
  end

  # In an arena the item says that it is Marshal, as its flags do not.
  def encoded(key, value, encode, flags)
    if encode
      value, flags = @codec.encode(key, value, flags)
      flags |= Pool::IS_MARSHAL if @codec.equal?(MarshalCodec) || @codec.is_a?(ListedCodec)
    end
    raise TypeError, "no implicit conversion of #{value.class} into String" unless value.is_a?(String)

    [value, flags]
  end

  # Without flags it is a value already: another entrance of the arena has stored it.
  def decoded(key, value, flags, decode)
    decode && flags ? @codec.decode(key, value, flags) : value
  end

  def get_many(keys, decode)
    found = {}
    wire = keys.map { |key| wire_key(key) }
    rows = asking(keys) { @pool.fetch_multi(wire, false) }
    rows.each_with_index { |(value, flags), place| found[keys[place]] = decoded(keys[place], value, flags, decode) if rows[place] }
    found
  end

  def store_cas(key, value, ttl, flags, cas, encode)
    value, flags = encoded(key, value, encode, flags)
    stored = asking(key) { @pool.store(Pool::CAS, wire_key(key), value, flags, ttl, cas) }
    raise_plain(NotFound) if stored.nil?
    raise ConnectionDataExists, "Key #{{ key => server_by_key(key) }.inspect}" unless stored
  end

  # Returns those that were stored: no other client had changed them meanwhile.
  def cas_many(keys, ttl, decode)
    rows = asking(keys) { @pool.fetch_multi(keys.map { |key| wire_key(key) }, true) }
    tokens = keys.zip(rows).to_h.compact
    return {} if tokens.empty?

    changed = yield(tokens.to_h { |key, (value, flags)| [key, decoded(key, value, flags, decode)] })
    changed.select do |key, value|
      next unless tokens[key]

      _, flags, cas = tokens[key]
      store_cas(key, value, ttl, flags || FLAGS, cas, decode)
      true
    rescue NotFound, ConnectionDataExists
      false
    end
  end

  def count(operation, key, offset)
    asking(key) { @pool.count(operation, wire_key(key), offset, nil, 0) or raise_plain(NotFound) }
  end

  def number(value)
    case value
    when /\A\d+\.\d+\z/ then value.to_f
    when /\A\d+\z/ then value.to_i
    else value
    end
  end

  # Answers are raised without a backtrace unless they are to have one: it costs more than the call.
  def raise_plain(type)
    error = type.new
    error.no_backtrace = !@options[:show_backtraces]
    raise error
  end

  # Tries again what may succeed then, and raises in the gem's words.
  def asking(key)
    tries = 0
    begin
      yield
    rescue Leveret::Error => e
      error = told(e, key)
      raise error unless tries < @options[:exception_retry_limit] && should_retry(error)

      tries += 1
      retry
    end
  end

  def told(error, key)
    return Error.new(error.message) unless error.respond_to?(:code)

    names = Array(key).to_h { |name| [name, server_by_key(name)] }
    text = error.is_a?(Pool::Refused) ? "\"#{error.message}\". Key #{names.inspect}" : "Key #{names.inspect}"
    Memcached.exception_of(error.code).new(text)
  rescue TypeError
    Memcached.exception_of(error.code).new(error.message)
  end
end
