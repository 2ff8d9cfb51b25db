# Stores each key of standard input through Dalli: observe.rb CLIENT MODE HOST|PORT|WEIGHT...
require "dalli"

servers = ARGV.drop(2).map do |word|
  host, port, weight = word.split("|")
  port == "0" ? "#{host}:#{weight}" : "#{host}:#{port}:#{weight}"
end
Dalli.logger.level = Logger::FATAL
cache = Dalli::Client.new(servers, raw: true, socket_max_failures: 0)
$stdin.binmode.read.split("\n").each { |key| cache.set(key, "x", 0, raw: true) }
