# frozen_string_literal: true

# A Sinatra application whose sessions lie where the environment says.
require 'leveret/dalli'
require 'rack/session/dalli'
require 'sinatra/base'

class Notes < Sinatra::Base
  set :environment, :production
  set :host_authorization, permitted_hosts: []
  use Rack::Session::Dalli, memcache_server: ENV.fetch('SESSIONS'), expire_after: 600

  get '/visit' do
    (session[:visits] = session[:visits].to_i + 1).to_s
  end

  post '/note' do
    (session[:notes] ||= []) << params[:text]
    redirect '/notes'
  end

  get '/notes' do
    (session[:notes] || []).join(', ')
  end

  get '/leave' do
    session.destroy
    'left'
  end
end

run Notes
