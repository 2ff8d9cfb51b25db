# frozen_string_literal: true

# A Rails application in one file, which Puma loads before it forks: pages with a cached fragment, a session, a counter, a list that takes
# its time. The test says by the environment where its arena is.
require 'logger'
require 'rails'
require 'action_controller/railtie'
require 'action_view/railtie'
require 'active_support/cache/leveret_store'

class Shop < Rails::Application
  config.root = __dir__
  config.eager_load = false
  config.secret_key_base = 'of this test ' * 4
  config.logger = Logger.new(File::NULL)
  config.hosts.clear
  config.action_controller.perform_caching = true
  config.cache_store = :leveret_store, 'arena:shop', { dir: ENV.fetch('SHOP_DIR'), memory: 16 << 20 }
  config.session_store :cache_store, key: '_shop', expire_after: 3600
end

class PagesController < ActionController::Base
  # The version is counted up by others all the time; a fragment belongs to one of them.
  def show
    @id = params[:id]
    @version = Rails.cache.read("version #{@id}").to_i
  end

  def change
    render plain: Rails.cache.increment("version #{params[:id]}").to_s
  end

  def visit
    session[:visits] = session[:visits].to_i + 1
    render plain: "#{session[:visits]} #{Process.pid}"
  end

  def count
    render plain: Rails.cache.increment('count').to_s
  end

  # One process computes it, wherever it is asked.
  def report
    made = Rails.cache.fetch("report #{params[:id]}") do
      Rails.cache.increment("computed #{params[:id]}")
      sleep 0.05
      "report #{params[:id]} " * 200
    end
    render plain: made
  end

  # What the PHP page shows as well.
  def shared
    list = Rails.cache.fetch('list') { [{ 'name' => 'by Ruby', 'price' => 1.5 }] }
    render json: { count: Rails.cache.increment('shared'), list: list }
  end
end

Shop.initialize!
# Opened before the workers are forked.
Rails.cache.write('preloaded', Process.pid)
Shop.routes.draw do
  get '/page/:id' => 'pages#show'
  get '/change/:id' => 'pages#change'
  get '/report/:id' => 'pages#report'
  %w[visit count shared].each { |name| get "/#{name}" => "pages##{name}" }
end
run Shop
