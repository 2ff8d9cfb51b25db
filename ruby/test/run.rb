# frozen_string_literal: true

# ruby -I ruby/lib -I build/ruby/lib ruby/test/run.rb [WORD...]: the files whose name contains one of the words.
words = ARGV.reject { |word| word.start_with?('-') }
ARGV.replace(ARGV - words)
files = Dir[File.join(__dir__, '**/test_*.rb')].sort.select { |file| words.empty? || words.any? { |word| File.basename(file).include?(word) } }
abort "No test file has #{words.join(' or ')} in its name." if files.empty?
files.each { |file| require file }
