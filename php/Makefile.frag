# Cargo decides what is stale, so its rule always runs. With --with-leveret-core there is no cargo, and the library is a file like others.
.PHONY: leveret-core
leveret-core:
	@$(LEVERET_CARGO) build --release --locked -p leveret-ffi $(LEVERET_FEATURES) --manifest-path "$(LEVERET_MANIFEST)" --target-dir "$(LEVERET_TARGET)"

$(LEVERET_CORE_LIB): $(LEVERET_CORE_RULE)
	@:

# So that it is there before anything is linked, be it leveret.so or a PHP that has leveret built in.
$(builddir)/module.lo: $(LEVERET_CORE_LIB)
