# frozen_string_literal: true

require 'leveret/dalli/session'
