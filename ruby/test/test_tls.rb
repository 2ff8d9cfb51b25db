# frozen_string_literal: true

require_relative 'helper'
require 'openssl'

# Servers named tls://, of both makes, and Dalli's ssl_context.
class TestTls < LeveretTest
  def test_each_class_stores_and_reads_by_tls_what_the_others_read_without
    each_server do |port, plain, file|
      said = script('leveret/dalli', <<~'RUBY', port, plain, file)
        require 'leveret/memcached'
        require 'leveret/memcache'
        port, plain, file = ARGV
        tls = { ca_file: file }
        place = "tls://localhost:#{port}"
        clients = [Dalli::Client.new(place, tls: tls), Dalli::Client.new("#{place}:2", tls: tls, protocol: :meta), Memcached.new(place, tls: tls),
                   MemCache.new(place, tls: tls), MemCache.new([place], tls: { ca_file: Pathname(file), peer_name: 'localhost' })]
        large = 'x' * 300_000
        clients.each_with_index do |client, number|
          client.set("k#{number}", large + number.to_s)
          p client.get("k#{number}") == large + number.to_s
          many = (0...200).to_h { |n| ["m#{n}", n] }
          many.each { |key, value| client.set(key, value) }
          p client.get_multi(*many.keys) == many if client.is_a?(Dalli::Client)
        end
        p (0..4).map { |number| Dalli::Client.new("127.0.0.1:#{plain}").get("k#{number}").include?(large + number.to_s) }
      RUBY
      assert_equal "true\n" * 7 + "[true, true, true, true, true]\n", said
    end
  end

  def test_who_is_not_believed_is_named_with_the_reason
    _, port, = served
    other = certificate('other')
    said = script('leveret/dalli', <<~'RUBY', port, other, @folder)
      port, other, folder = ARGV
      [nil, true, { ca_file: other }, { ca_file: "#{folder}/absent.pem" }, { verify: false }, { verify: false, peer_name: '' }].each do |tls|
        puts Dalli::Client.new("tls://localhost:#{port}", tls: tls).get('k').inspect rescue puts "#{$!.class}: #{$!.message}"
      end
    RUBY
    strange = "Dalli::RingError: No server available: tls://localhost:#{port}: its certificate is not from an authority of the CA file"
    lines = said.lines(chomp: true)
    assert_equal [strange, strange, 'nil', 'nil'], lines.values_at(0, 1, 4, 5), said
    assert_match(/\ADalli::RingError: .*: its certificate is not trusted/, lines[2])
    assert_match(%r{absent\.pem: there is no such file}, lines[3])
  end

  def test_options_that_make_no_sense_are_refused
    code = <<~'RUBY'
      store = OpenSSL::X509::Store.new
      contexts = [{ ca_path: '/etc/ssl/certs' }, { cert_store: store }, { key: OpenSSL::PKey::RSA.new(2048) }].map do |given|
        OpenSSL::SSL::SSLContext.new.tap { |context| given.each { |name, value| context.public_send("#{name}=", value) } }
      end
      [{ tls: 'yes' }, { tls: { cafile: 'x' } }, { tls: { ca_file: 5 } }, { tls: { ca_file: "a\0b" } }, { ssl_context: 5 },
       *contexts.map { |context| { ssl_context: context } }].each do |options|
        puts Dalli::Client.new('localhost', options).inspect rescue puts "#{$!.class}: #{$!.message}"
      end
      ['tls://', 'tls:///run/socket', 'tls://host:port'].each { |place| puts Dalli::Client.new(place).inspect rescue puts "#{$!.class}: #{$!.message}" }
    RUBY
    assert_equal <<~SAID, script('leveret/dalli', code)
      ArgumentError: tls is true or a Hash with some of ca_file, peer_name, certificate, key, verify
      ArgumentError: tls has no :cafile: it has ca_file, peer_name, certificate, key, verify
      ArgumentError: tls: ca_file is a String: 5
      ArgumentError: string contains null byte
      ArgumentError: ssl_context is an OpenSSL::SSL::SSLContext: 5
      ArgumentError: the ca_path of an ssl_context cannot be used: say tls: { ca_file: FILE }
      ArgumentError: the cert_store of an ssl_context cannot be used: say tls: { ca_file: FILE }
      ArgumentError: the key of an ssl_context cannot be used: say tls: { key: FILE }
      Dalli::DalliError: Could not parse hostname tls://
      Dalli::DalliError: Could not parse hostname tls:///run/socket
      Dalli::DalliError: Could not parse hostname tls://host:port
    SAID
  end

  # The same lines for the gem and for us. Dalli 3.0's get_multi does not work by TLS, and a certificate that it
  # does not believe raises an OpenSSL::SSL::SSLError.
  CONTEXT_CALLS = <<~'RUBY'
    ports, file = ARGV[0].split.map(&:to_i), ARGV[1]
    contexts = [OpenSSL::SSL::SSLContext.new.tap { |context| context.ca_file = file; context.verify_mode = OpenSSL::SSL::VERIFY_PEER }, OpenSSL::SSL::SSLContext.new]
    contexts.each do |context|
      client = Dalli::Client.new(ports.map { |port| "localhost:#{port}" }, ssl_context: context)
      p (0..30).count { |n| client.set(n.to_s, [n]) }, (0..30).count { |n| client.get(n.to_s) == [n] }
    end
    p Dalli::Client.new(ports.map { |port| "localhost:#{port}" }, ssl_context: OpenSSL::SSL::SSLContext.new.tap(&:set_params)).get('1') rescue puts :refused
  RUBY

  def test_an_ssl_context_means_what_it_means_to_dalli_and_keys_stay_where_they_are
    file = certificate('both')
    ports = [encrypted('leveret', file), encrypted('memcached', file)].map(&:first)
    given = [ports.join(' '), file]
    said = "31\n31\n31\n31\nrefused\n"
    assert_equal said, script('leveret/dalli', CONTEXT_CALLS, *given)
    assert_equal said, script('dalli', CONTEXT_CALLS, *given)
    # What the gem has stored last, on two servers.
    assert_equal "31\n", script('leveret/dalli', <<~'RUBY', ports.join(' '))
      servers = ARGV[0].split.map { |port| "localhost:#{port}" }
      p Dalli::Client.new(servers, ssl_context: OpenSSL::SSL::SSLContext.new).get_multi(*('0'..'30')).size
    RUBY
  end

  def test_metadata_are_not_asked_for_in_plain_text
    file, port, = served
    said = script('leveret/dalli', <<~'RUBY', port, file)
      p Dalli::Client.new("tls://localhost:#{ARGV[0]}", tls: { ca_file: ARGV[1] }).get_with_metadata('k') rescue puts "#{$!.class}: #{$!.message}"
    RUBY
    assert_equal "Dalli::DalliError: tls://localhost:#{port}: metadata are not asked for by TLS\n", said
  end

  private

  # What a program prints that has loaded this library, the gem or ours.
  def script(library, code, *words)
    paths = library == 'dalli' ? [] : $LOAD_PATH.select { |path| path.start_with?(ROOT) }.flat_map { |path| ['-I', path] }
    libraries = [library, 'logger', 'openssl', 'pathname'].flat_map { |name| ['-r', name] }
    as_before IO.popen([RbConfig.ruby, *paths, *libraries, '-e', "Dalli.logger = Logger.new(File::NULL)\n#{code}", *words, { err: %i[child out] }], &:read)
  end

  def each_server
    %w[leveret memcached].each do |make|
      file = certificate(make)
      port, plain = encrypted(make, file)
      yield port.to_s, plain.to_s, file
    end
  end

  def served
    file = certificate('served')
    [file, *encrypted('leveret', file).map(&:to_s)]
  end

  # A server with TLS at the first of two ports.
  def encrypted(make, file)
    port, plain = free_port, free_port
    places = ['-l', "127.0.0.1:#{port}", '-l', "notls:127.0.0.1:#{plain}", '-Z', '-o', "ssl_chain_cert=#{file},ssl_key=#{file}"]
    if make == 'leveret'
      start({ 'LEVERET_DIR' => @folder }, COMMAND, 'serve', *(%w[-u root] if Process.uid.zero?), '-m', '16', *places)
    else
      start('memcached', '-U', '0', *(%w[-u root] if Process.uid.zero?), *places)
    end
    [port, plain].each { |each| answers(each) }
  end

  # A certificate of its own for localhost, and its key, in one file.
  def certificate(name)
    key = OpenSSL::PKey::EC.generate('prime256v1')
    made = OpenSSL::X509::Certificate.new
    made.version = 2
    made.serial = rand(1..1_000_000)
    made.subject = made.issuer = OpenSSL::X509::Name.new([%w[CN localhost]])
    made.not_before = Time.now - 60
    made.not_after = Time.now + 3600
    made.public_key = key
    made.add_extension(OpenSSL::X509::ExtensionFactory.new.create_extension('subjectAltName', 'DNS:localhost', false))
    made.sign(key, 'SHA256')
    File.join(@folder, "#{name}.pem").tap { |path| File.write(path, made.to_pem + key.to_pem) }
  end
end
