//! `leveret display`: the classes of a server's memory, as memcached-tool shows them when it is told nothing else.
use crate::conversation::Exchange;
use crate::output::{self, CommandResult, Exit, Failure};
use crate::peer::{Peer, Reach};
use crate::tables::{self, Rows};
use crate::target::TargetArgs;
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Show the classes of items in memory, in the format of 'memcached-tool display'
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct DisplayArgs {
    #[command(flatten)]
    reach: Reach,
}

const EXAMPLES: &str = "\
Examples:
  leveret display
  leveret display localhost:11211
  leveret display /run/memcached.sock --json | jq -s 'map(.count) | add'";

/// One class; also a line of --json.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Class {
    class: u64,
    /// Bytes of a chunk.
    item_size: u64,
    /// Seconds since its oldest item was last used.
    max_age: u64,
    pages: u64,
    count: u64,
    full: bool,
    evicted: u64,
    evict_time: u64,
    oom: u64,
}

impl DisplayArgs {
    pub fn run(self, target: &TargetArgs, as_json: bool) -> CommandResult {
        let peer = Peer::of(self.reach.target.as_deref(), target)?;
        let mut conversation = Exchange::begin(&peer, self.reach.patience.timeout)?;
        let items = tables::ask(&mut conversation, b"stats items\r\n")?;
        let slabs = tables::ask(&mut conversation, b"stats slabs\r\n")?;
        let classes = classes(&items, &slabs);
        let mut out = output::raw();
        if as_json {
            for class in &classes {
                output::json_line(&mut out, class)?;
            }
        } else {
            print(&mut out, &classes)?;
        }
        out.flush()?;
        Ok::<_, Failure>(Exit::Yes)
    }
}

fn print(out: &mut impl Write, classes: &[Class]) -> io::Result<()> {
    writeln!(out, "  #  Item_Size  Max_age   Pages   Count   Full?  Evicted Evict_Time OOM")?;
    for Class { class, item_size, max_age, pages, count, full, evicted, evict_time, oom } in classes {
        let size =
            if *item_size < 1024 { format!("{item_size}B") } else { format!("{:.1}K", *item_size as f64 / 1024.0) };
        let full = if *full { "yes" } else { " no" };
        writeln!(
            out,
            "{class:>3} {size:>8} {max_age:>9}s {pages:>7} {count:>7} {full:>7} {evicted:>8} {evict_time:>8} {oom:>4}"
        )?;
    }
    Ok(())
}

/// The classes that have pages, from `stats items` (items:CLASS:NAME) and `stats slabs` (CLASS:NAME).
fn classes(items: &Rows, slabs: &Rows) -> Vec<Class> {
    let mut facts: BTreeMap<u64, BTreeMap<String, u64>> = BTreeMap::new();
    let named = items.iter().filter_map(|(name, value)| Some((name.strip_prefix(b"items:")?, value)));
    for (name, value) in named.chain(slabs.iter().map(|(name, value)| (name.as_slice(), value))) {
        if let Some((class, name, value)) = fact(name, value) {
            facts.entry(class).or_default().insert(name, value);
        }
    }
    let classes = facts.into_iter().map(|(class, facts)| {
        let fact = |name: &str| facts.get(name).copied().unwrap_or(0);
        Class {
            class,
            item_size: fact("chunk_size"),
            max_age: fact("age"),
            pages: fact("total_pages"),
            count: fact("number"),
            full: fact("used_chunks") == fact("total_chunks"),
            evicted: fact("evicted"),
            evict_time: fact("evicted_time"),
            oom: fact("outofmemory"),
        }
    });
    classes.filter(|class| class.pages > 0).collect()
}

/// `12:chunk_size`, `96` -> class 12, chunk_size, 96. Totals of the whole server have no class.
fn fact(name: &[u8], value: &[u8]) -> Option<(u64, String, u64)> {
    let (class, name) = std::str::from_utf8(name).ok()?.split_once(':')?;
    let value = std::str::from_utf8(value).ok()?.trim_end();
    Some((class.parse().ok()?, name.to_owned(), value.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[(&str, &str)]) -> Rows {
        rows.iter().map(|(name, value)| (name.as_bytes().to_vec(), format!("{value}\r").into_bytes())).collect()
    }

    #[test]
    fn a_class_is_put_together_from_both_answers() {
        let items =
            rows(&[("items:1:number", "3"), ("items:1:age", "70"), ("items:1:evicted", "2"), ("items:9:number", "1")]);
        let slabs = rows(&[
            ("1:chunk_size", "96"),
            ("1:total_pages", "1"),
            ("1:used_chunks", "4"),
            ("1:total_chunks", "5"),
            ("20:chunk_size", "2048"),
            ("20:total_pages", "2"),
            ("9:total_pages", "0"),
            ("active_slabs", "2"),
        ]);
        let mut printed = Vec::new();
        print(&mut printed, &classes(&items, &slabs)).expect("printed");
        let want = "  #  Item_Size  Max_age   Pages   Count   Full?  Evicted Evict_Time OOM\n  \
                      1      96B        70s       1       3      no        2        0    0\n \
                     20     2.0K         0s       2       0     yes        0        0    0\n";
        assert_eq!(String::from_utf8(printed).expect("text"), want);
    }
}
