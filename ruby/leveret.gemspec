# frozen_string_literal: true

require_relative 'lib/leveret/version'

Gem::Specification.new do |spec|
  spec.name = 'leveret'
  spec.version = Leveret::VERSION
  spec.authors = ['The Leveret authors']
  spec.summary = 'One cache per host in shared memory, for Ruby, PHP and every memcached client'
  spec.description = 'Reads and writes the arena that all processes of a host share, without a round trip; Dalli::Client on top of it.'
  spec.licenses = %w[MIT Apache-2.0]
  spec.files = Dir.chdir(__dir__) { Dir['lib/**/*.rb', 'sig/**/*.rbs', '.yardopts', 'README.md', 'LICENSE-*'] }

  if ENV['LEVERET_GEM'] == 'platform'
    # With the compiled library (./x gem): for this processor and this minor version of Ruby.
    spec.platform = Gem::Platform.local
    spec.required_ruby_version = "~> #{RUBY_VERSION[/\A\d+\.\d+/]}.0"
    spec.files += ['lib/leveret/leveret.so', 'THIRD-PARTY.txt']
  else
    spec.required_ruby_version = '>= 3.1'
    spec.files += Dir.chdir(__dir__) { Dir['ext/**/*.{rb,c,h}'] }
    # The Rust sources (./x gem): without them a library has to be there. Names with a dot at their beginning are cargo's.
    spec.files += Dir.chdir(__dir__) { Dir.glob('rust/**/*', File::FNM_DOTMATCH).select { |file| File.file?(file) } }
    spec.extensions = ['ext/leveret/extconf.rb']
  end
end
