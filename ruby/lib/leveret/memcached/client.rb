# frozen_string_literal: true

# The client of the gem memcached 1.8: what is not there is raised. See its own documentation for what the calls mean.
#
# A further option is +classes+ (classes, modules or their names): all that Marshal data may name. What names another one raises
# Memcached::Error, and nothing of it is made.
class Memcached
  Pool = Leveret::Pool
  private_constant :Pool

  attr_reader :options

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

  def set_servers(servers)
    @servers = @settings.servers(servers)
    @pool = @settings.pool(@servers)
    @pool.set_prefix(@prefix) unless @options[:hash_with_prefix_key]
  end

  def servers
    @servers.map { |server| @settings.name(server) }
  end

  def set_prefix_key(key)
    prefix = key ? key + @options[:prefix_delimiter] : ''
    raise ArgumentError, "Max prefix key + prefix delimiter size is #{PREFIX_MAX}" if prefix.size > PREFIX_MAX

    @prefix = prefix
    @pool&.set_prefix(prefix) unless @options[:hash_with_prefix_key]
  end

  def prefix_key
    @prefix.delete_suffix(@options[:prefix_delimiter])
  end

  def clone
    copy = super
    copy.set_servers(@servers)
    copy
  end
  alias dup clone

  def reset(current_servers = nil)
    quit
    set_servers(current_servers || @servers)
  end

  def quit
    @pool.quit
    self
  end

  def should_retry(error)
    @options[:exceptions_to_retry].any? { |type| error.instance_of?(type) }
  end

  def server_by_key(key)
    @settings.name(@servers[@pool.locate(wire_key(key))])
  end

  # --- storing ---

  def set(key, value, ttl = @default_ttl, encode = true, flags = FLAGS)
    put(Pool::SET, key, value, ttl, encode, flags)
  end

  def add(key, value, ttl = @default_ttl, encode = true, flags = FLAGS)
    put(Pool::ADD, key, value, ttl, encode, flags)
  end

  def replace(key, value, ttl = @default_ttl, encode = true, flags = FLAGS)
    put(Pool::REPLACE, key, value, ttl, encode, flags)
  end

  def append(key, value)
    put(Pool::APPEND, key, value.to_s, 0, false, 0)
  end

  def prepend(key, value)
    put(Pool::PREPEND, key, value.to_s, 0, false, 0)
  end

  def delete(key)
    return say_nothing { @pool.delete_quietly(wire_key(key)) } if quiet?

    asking(key) { @pool.delete(wire_key(key), 0) or raise_plain(NotFound) }
    nil
  end

  # The block gets the value, or for an Array of keys a Hash of those that were found, and gives what is to be stored.
  def cas(keys, ttl = @default_ttl, decode = true)
    raise ClientError, 'CAS not enabled for this Memcached instance' unless @options[:support_cas]
    return cas_many(keys, ttl, decode) { |found| yield found } if keys.is_a?(Array)

    value, flags, cas = asking(keys) { @pool.fetch(wire_key(keys), true) } || raise_plain(NotFound)
    store_cas(keys, yield(decoded(keys, value, flags, decode)), ttl, flags || FLAGS, cas, decode)
  end
  alias compare_and_swap cas

  # --- counting ---

  def increment(key, offset = 1)
    count(Pool::INCREMENT, key, offset)
  end
  alias incr increment

  def decrement(key, offset = 1)
    count(Pool::DECREMENT, key, offset)
  end
  alias decr decrement

  # --- reading ---

  # One key: its value, or NotFound. An Array: a Hash of those that were found, all servers asked at once.
  def get(keys, decode = true)
    return get_many(keys, decode) if keys.is_a?(Array)

    value, flags = asking(keys) { @pool.fetch(wire_key(keys), false) } || raise_plain(NotFound)
    decoded(keys, value, flags, decode)
  end

  def exist(key)
    asking(key) { @pool.fetch(wire_key(key), false) } or raise_plain(NotFound)
    nil
  end

  def get_from_last(_key, _decode = true)
    raise ArgumentError, 'get_from_last() is not useful unless :random distribution is enabled.'
  end

  # --- servers' own ---

  def flush
    @servers.each_index { |index| asking(nil) { @pool.ask_server(index, Pool::FLUSH, '', 0) } or raise ConnectionFailure }
    nil
  end

  # Symbol => what each server says, in their order.
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
    @pool.flush_quiet unless @options[:buffer_requests]
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

  # Gives those that were stored: nobody had changed them meanwhile.
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
