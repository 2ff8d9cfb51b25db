//! Metrics of arenas without a server.
use crate::common::Host;
use std::fs;

#[test]
fn all_arenas_of_the_folder_with_the_numbers_of_stats() {
    let host = Host::new();
    for arena in ["one", "two"] {
        host.run(["set", "k", "value", "--memory", "16M", "--arena", arena]).ends(0);
    }
    host.run(["get", "k", "--arena", "two"]).ends(0);
    host.run(["get", "none", "--arena", "two"]).ends(1);
    host.run(["delete", "k", "--arena", "one"]).ends(0);
    let said = host.run(["metrics"]).ends(0);
    let lines: Vec<&str> = said.text().lines().collect();
    for arena in ["one", "two"] {
        let stats = host.run(["stats", "--json", "--arena", arena]).json();
        for (sample, field) in [
            ("memcached_current_items{A}", "items"),
            ("memcached_current_bytes{A}", "bytes"),
            ("memcached_limit_bytes{A}", "memory"),
            ("memcached_commands_total{A,command=\"get\",status=\"hit\"}", "hits"),
            ("leveret_reads_total{A,status=\"miss\"}", "misses"),
            ("leveret_deletes_total{A}", "deletes"),
            ("leveret_stores_total{A}", "sets"),
            ("leveret_memory_available_bytes{A}", "free"),
        ] {
            let want = format!("{} {}", sample.replace('A', &format!("arena=\"{arena}\"")), stats[field]);
            assert!(lines.contains(&want.as_str()), "{want} in {lines:#?}");
        }
        let states: u64 = lines
            .iter()
            .filter(|line| line.starts_with(&format!("leveret_memory_bytes{{arena=\"{arena}\"")))
            .map(|line| line.rsplit(' ').next().expect("a value").parse::<u64>().expect("a number"))
            .sum();
        assert_eq!(states, 16 << 20);
    }
    let said = host.run(["metrics", "one", "--arena", "two"]).ends(0);
    assert!(said.text().contains("memcached_up{arena=\"two\"} 1\nmemcached_up{arena=\"one\"} 1\n"), "{said:?}");
}

#[test]
fn an_arena_that_cannot_be_opened_is_down_and_the_others_are_told() {
    let host = Host::new();
    host.run(["set", "k", "v", "--arena", "well"]).ends(0);
    fs::write(host.file("bad.arena"), vec![0u8; 100_000]).expect("a file");
    let said = host.run(["metrics"]).ends(0);
    assert!(said.text().contains("memcached_up{arena=\"bad\"} 0\nmemcached_up{arena=\"well\"} 1\n"), "{said:?}");
    assert!(said.text().contains("memcached_current_items{arena=\"well\"} 1\n"), "{said:?}");
    assert!(said.error.contains("bad.arena") && said.error.contains("is not an arena"), "{said:?}");
    host.run(["metrics", "bad"]).complains(3, "is not an arena");
    host.run(["metrics", "none"]).complains(3, "there is no arena");
    assert!(host.run(["metrics", "--json"]).ends(2).error.contains("Prometheus"));
    for address in ["0.0.0.0:9150", "70000", "example.org:1"] {
        assert!(host.run(["serve", "-V", "--metrics", address]).ends(2).error.contains("PORT"), "{address}");
    }
}
