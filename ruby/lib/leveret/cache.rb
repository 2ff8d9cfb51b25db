# frozen_string_literal: true

module Leveret
  # What the option +classes+ says, as the extension looks names up in it.
  # @param classes [Array<Module, String>, Module, String, nil]
  # @return [Hash{String => true}, nil] nil: any class
  # @raise [ArgumentError] one of them has no name
  # @private
  def self.class_list(classes)
    return if classes.nil?

    Array(classes).to_h do |one|
      name = one.is_a?(Module) ? one.name : one
      raise ArgumentError, "classes are named classes, or names, not #{one.inspect}" unless name.is_a?(String)

      [name.dup.force_encoding(Encoding::UTF_8).freeze, true]
    end.freeze
  end

  # The cache that all processes of this host share: Ruby, PHP and, through <tt>leveret serve</tt>, every memcached client.
  #
  #   cache = Leveret::Cache.new
  #   user = cache.fetch("user:#{id}", 300) { User.find(id).as_json }
  #
  # Keys are Strings or Symbols, any bytes, up to +stats[:key_max]+ of them. +nil+ is a value like any other: to distinguish it
  # from a miss, pass a default (<tt>get(key, :none)</tt>), or use #exist? or #get_multi, which returns only hits. A +ttl+ is a
  # number of seconds, or nil for an item that does not expire; 0 or less means that it expires at once. An item is also evicted
  # when the arena is full and others are more useful. Each read returns a copy, unless the cache is <tt>frozen: true</tt>.
  #
  # A miss is a result. A failed operation raises a subclass of Leveret::Error.
  class Cache
    # Bytes of an arena that is created: 64 MB.
    MEMORY = 64 << 20
    # Bytes of frozen values that a cache with <tt>frozen: true</tt> keeps: 8 MB.
    FROZEN_BYTES = 8 << 20

    # +arena+ is a name, as "default" or "arena:shop", or a path that ends in ".arena". The first process that asks for an arena
    # creates it, with +memory+ bytes, in +dir+ (nil: $LEVERET_DIR, else /dev/shm/leveret, else /dev/shm/leveret-UID).
    # +lock_timeout+: seconds for which a write waits for a lock that a living process holds.
    # <tt>frozen: true</tt>: reads answer deeply frozen values, and give the same object as long as the arena holds that version;
    # +frozen_bytes+ bounds what is kept for that.
    # +classes+ (classes, modules or their names) is all that Marshal data may name; what names another one counts as missing, with one
    # warning, and nothing of it is made. Strings, symbols, numbers of Integer and Float, arrays, hashes, true, false and nil need no
    # class; Time, Range, Set, structs and subclasses do. nil: any class.
    # @param arena [String, nil] nil: $LEVERET_ARENA, else "default"
    # @param dir [String, nil] the folder of arenas
    # @param memory [Integer] bytes of an arena that is created; one that is there keeps its own
    # @param lock_timeout [Numeric] seconds, rounded up to milliseconds
    # @param frozen [Boolean]
    # @param frozen_bytes [Integer] bytes
    # @param classes [Array<Module, String>, nil]
    # @raise [ArenaError] the arena cannot be opened: a name that is none, a folder that may not be used, too little memory
    # @raise [ArgumentError] +classes+ has something without a name
    def initialize(arena = nil, dir: nil, memory: MEMORY, lock_timeout: 1, frozen: false, frozen_bytes: FROZEN_BYTES, classes: nil)
      attach(arena || ENV['LEVERET_ARENA'] || 'default', dir, memory, (lock_timeout * 1000).ceil, frozen ? frozen_bytes : nil, Leveret.class_list(classes))
    end

    # @return [String] the class, and where the arena is
    def inspect
      "#<#{self.class} #{path}>"
    end
  end
end
