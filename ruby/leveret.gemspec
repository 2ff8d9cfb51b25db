# frozen_string_literal: true

require_relative 'lib/leveret/version'

Gem::Specification.new do |spec|
  spec.name = 'leveret'
  spec.version = Leveret::VERSION
  spec.authors = ['The Leveret authors']
  spec.summary = 'One cache per host in shared memory, for Ruby, PHP and every memcached client'
  spec.description = 'Reads and writes the arena that all processes of a host share, without a round trip; Dalli::Client on top of it.'
  spec.licenses = %w[MIT Apache-2.0]
  spec.required_ruby_version = '>= 3.1'
  spec.files = Dir.chdir(__dir__) { Dir['lib/**/*.rb', 'ext/**/*.{rb,c,h}', 'sig/**/*.rbs', 'README.md'] }
  spec.extensions = ['ext/leveret/extconf.rb']
end
