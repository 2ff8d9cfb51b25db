# frozen_string_literal: true

module Leveret
  VERSION = '0.1.0'
end
