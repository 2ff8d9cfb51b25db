# frozen_string_literal: true

# Jobs that count and compute in an arena and on a server, which the environment names.
require 'leveret/dalli'
require 'sidekiq'

CACHE = Leveret::Cache.new('jobs', dir: ENV.fetch('JOBS_DIR'), memory: 16 << 20)
SERVER = Dalli::Client.new(ENV.fetch('JOBS_SERVER'), dir: ENV.fetch('JOBS_DIR'))

class Report
  include Sidekiq::Worker
  sidekiq_options retry: false

  def perform(number)
    CACHE.increment('begun')
    name = number % 10
    report = CACHE.fetch("report #{name}", 60) do
      CACHE.increment('computed')
      sleep 0.02
      [name] * 200
    end
    SERVER.set("job #{number}", { 'report' => report }, 600)
    right = report == [name] * 200 && SERVER.get("job #{number}") == { 'report' => report }
    CACHE.increment('wrong') unless right
    CACHE.delete("report #{name}") if (number % 7).zero?
    SERVER.incr('done', 1, 0, 1)
    CACHE.increment('done')
  rescue StandardError => e
    CACHE["error #{number}"] = "#{e.class}: #{e.message}"
    raise
  end
end
