# frozen_string_literal: true

module Leveret
  # How servers named <tt>tls://host</tt> are spoken with: what the option +tls+ says, or Dalli's +ssl_context+.
  # @private
  module Tls
    SCHEME = 'tls://'
    # Of the option +tls+, in the order of Pool#set_tls.
    NAMES = %i[ca_file peer_name certificate key verify].freeze
    # Settings of an SSLContext that are not supported here: ignoring them would accept other servers than intended.
    UNKNOWN = { ca_path: 'tls: { ca_file: FILE }', cert: 'tls: { certificate: FILE }', key: 'tls: { key: FILE }',
                verify_callback: 'tls: { verify: true or false }' }.freeze

    module_function

    # A name without <tt>tls://</tt>, and that again where it was.
    def split(text)
      text.start_with?(SCHEME) ? [SCHEME, text.delete_prefix(SCHEME)] : ['', text]
    end

    # Says to a Pool how. +options+ may have +tls+ or +ssl_context+.
    def set(pool, options)
      given = options[:ssl_context] ? of_context(options[:ssl_context]) : options[:tls]
      return if given.nil?

      given = {} if given == true
      raise ArgumentError, "tls is true or a Hash with some of #{NAMES.join(', ')}" unless given.is_a?(Hash)

      unknown = given.keys - NAMES
      raise ArgumentError, "tls has no #{unknown.first.inspect}: it has #{NAMES.join(', ')}" unless unknown.empty?

      files = NAMES.first(4).map { |name| text(name, given[name]) }
      pool.set_tls(*files, given.fetch(:verify, true))
    end

    def text(name, value)
      value = value.to_path if value.respond_to?(:to_path)
      raise ArgumentError, "tls: #{name} is a String: #{value.inspect}" unless value.nil? || value.is_a?(String)

      value
    end

    # The same of an OpenSSL::SSL::SSLContext: its +ca_file+, and whether it verifies.
    def of_context(context)
      unless context.respond_to?(:verify_mode) && context.respond_to?(:ca_file)
        raise ArgumentError, "ssl_context is an OpenSSL::SSL::SSLContext: #{context.inspect}"
      end

      name, instead = UNKNOWN.find { |reader, _| context.public_send(reader) }
      raise ArgumentError, "the #{name} of an ssl_context cannot be used: say #{instead}" if name
      unless context.cert_store.nil? || context.cert_store.equal?(OpenSSL::SSL::SSLContext::DEFAULT_CERT_STORE)
        raise ArgumentError, 'the cert_store of an ssl_context cannot be used: say tls: { ca_file: FILE }'
      end

      { ca_file: context.ca_file, verify: ![nil, OpenSSL::SSL::VERIFY_NONE].include?(context.verify_mode) }
    end
  end
end
