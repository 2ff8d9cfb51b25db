//! The board without a terminal: one table, or one object.
use super::board::{Board, BoardRow};
use super::short::{compact, latency, ratio};
use crate::units::{bytes, thousands};
use serde_json::{json, Value};

pub fn table(board: &Board) -> String {
    if board.rows.is_empty() {
        return "No arenas in the folder. The first 'leveret set' or PHP script makes one.\n".to_owned();
    }
    let name_width = board.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max("TARGET".len());
    let mut text = format!(
        "{:name_width$}  {:>11}  {:>10}  {:>6}  {:>8}  {:>7}  {:>8}  {:>8}  {:>5}  {:>8}\n",
        "TARGET", "ITEMS", "MEMORY", "USED", "GETS/s", "HITS", "SETS/s", "EVICT/s", "CONN", "LATENCY"
    );
    for row in &board.rows {
        text += &match (&row.error, row.seen()) {
            (Some(why), _) => format!("{:name_width$}  {why}", row.name),
            (None, None) => format!("{:name_width$}  no answer yet", row.name),
            (None, Some(seen)) => {
                let rate = |rate: fn(&super::board::Rates) -> f64| {
                    row.rates.as_ref().map_or("-".to_owned(), |rates| compact(rate(rates)))
                };
                format!(
                    "{:name_width$}  {:>11}  {:>10}  {:>6}  {:>8}  {:>7}  {:>8}  {:>8}  {:>5}  {:>8}",
                    row.name,
                    thousands(seen.items),
                    bytes(seen.limit),
                    ratio(row.fill()),
                    rate(|rates| rates.gets),
                    ratio(row.rates.and_then(|rates| rates.hit_ratio())),
                    rate(|rates| rates.sets),
                    rate(|rates| rates.evictions),
                    seen.connections,
                    latency(seen.latency),
                )
            }
        };
        text.push('\n');
    }
    text
}

pub fn object(board: &Board) -> Value {
    json!({
        "time": crate::commands::stats::unix_now(),
        "targets": board.rows.iter().map(target).collect::<Vec<_>>(),
    })
}

/// Fields are added, never renamed. All but `target` and `error` is null when it does not answer.
fn target(row: &BoardRow) -> Value {
    let seen = row.seen();
    let rate = |rate: fn(&super::board::Rates) -> f64| row.rates.as_ref().map(rate);
    json!({
        "target": row.name,
        "error": row.error,
        "items": seen.map(|seen| seen.items),
        "bytes": seen.map(|seen| seen.bytes),
        "limit": seen.map(|seen| seen.limit),
        "connections": seen.map(|seen| seen.connections),
        "latency_us": seen.and_then(|seen| seen.latency).map(|latency| latency.as_micros() as u64),
        "gets_per_second": rate(|rates| rates.gets),
        "hit_ratio": row.rates.and_then(|rates| rates.hit_ratio()),
        "sets_per_second": rate(|rates| rates.sets),
        "deletes_per_second": rate(|rates| rates.deletes),
        "evictions_per_second": rate(|rates| rates.evictions),
        "expired_per_second": rate(|rates| rates.expired),
        "refused_per_second": rate(|rates| rates.refused),
    })
}
