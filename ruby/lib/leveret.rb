# frozen_string_literal: true

require_relative 'leveret/version'
require 'leveret/leveret'
require_relative 'leveret/cache'
