"""The developers' benchmarks: `python3 -m bench.NAME`, as `./x bench NAME` starts them once all is built. `harness` is what they share."""
