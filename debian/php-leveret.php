mod php/leveret.ini
