# Cargo decides what is stale, so its rule always runs. With --with-leveret-core there is no cargo and nothing to do.
.PHONY: leveret-core
leveret-core:
	@if test -n "$(LEVERET_CARGO)"; then $(LEVERET_CARGO) build --release --locked -p leveret-ffi $(LEVERET_FEATURES) --manifest-path "$(LEVERET_MANIFEST)" --target-dir "$(LEVERET_TARGET)"; fi

$(LEVERET_CORE_LIB): leveret-core
	@:

# So that it is there before anything is linked, be it leveret.so or a PHP that has leveret built in.
$(builddir)/module.lo: $(LEVERET_CORE_LIB)
