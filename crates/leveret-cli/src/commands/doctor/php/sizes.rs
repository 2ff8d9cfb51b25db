//! Sizes that PHP asks for, beside those that arenas have.
use super::ask::PhpAnswer;
use super::SUBJECT;
use crate::commands::doctor::known::KnownArena;
use crate::commands::doctor::Finding;
use crate::output::shell_word;
use crate::units::bytes;
use leveret_engine::MEMORY_MIN;

/// Settings, and what each is where nothing is set.
const SETTINGS: [(&str, &str); 2] = [("leveret.memory", "64M"), ("apc.shm_size", "32M")];
const MIB: u64 = 1 << 20;

/// A size as PHP reads it: a whole number, with K, M or G.
fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, shift) = match text.as_bytes().last()?.to_ascii_lowercase() {
        b'k' => (&text[..text.len() - 1], 10),
        b'm' => (&text[..text.len() - 1], 20),
        b'g' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.trim().parse::<u64>().ok().filter(|_| is_number)?.checked_mul(1 << shift)
}

/// The arena size of a setting. APCu took megabytes, and old configurations have no unit.
fn asked_of(setting: &str, text: &str) -> Option<u64> {
    let size = parse(text)?;
    let has_no_unit = text.trim().bytes().all(|byte| byte.is_ascii_digit());
    let size = if setting == "apc.shm_size" && has_no_unit && size < MIB { size.checked_mul(MIB)? } else { size };
    Some(size.max(MEMORY_MIN))
}

/// Sizes in PHP's files that PHP does not understand. `ini_get()` shows the value that it uses instead.
pub fn unreadable(answer: &PhpAnswer) -> Vec<Finding> {
    SETTINGS
        .into_iter()
        .filter_map(|(setting, usual)| {
            let text = answer.configured.get(setting)?.as_deref()?;
            // APCu takes 0, less, and nothing for its default.
            let is_default =
                setting == "apc.shm_size" && text.trim().parse::<i64>().map_or(text.is_empty(), |size| size <= 0);
            (!is_default && parse(text).is_none()).then(|| {
                Finding::problem(
                    SUBJECT,
                    format!("{setting}={text} is not a size"),
                    "PHP takes another one in its place.",
                    format!("Write a whole number with K, M or G, as in {setting}={usual}, then restart PHP."),
                )
            })
        })
        .collect()
}

/// The size of an existing arena wins over what PHP asks for.
pub fn examine(answer: &PhpAnswer, known: &[KnownArena]) -> Vec<Finding> {
    let named = |setting, default| {
        answer.setting(setting).map_or(default, |name: &str| name.strip_prefix("arena:").unwrap_or(name))
    };
    let (default, apcu) = (named("leveret.arena", "default"), named("leveret.apcu_arena", "apcu"));
    SETTINGS
        .into_iter()
        .filter_map(|(setting, _)| {
            let text = answer.setting(setting)?;
            let size = asked_of(setting, text)?;
            // A server has its own option. Another arena may be larger on purpose.
            let differs = |arena: &&KnownArena| {
                let is_ours = match setting {
                    "apc.shm_size" => arena.name == apcu,
                    _ => arena.name != apcu && !arena.name.starts_with("apcu-") && arena.servers.is_empty(),
                };
                let is_named = arena.name == default || arena.name == apcu;
                is_ours && arena.summary().is_some_and(|stats| stats.memory < size || is_named && stats.memory > size)
            };
            let others: Vec<&KnownArena> = known.iter().filter(differs).collect();
            let sizes: Vec<String> = others
                .iter()
                .filter_map(|arena| Some(format!("{} has {}", arena.name, bytes(arena.summary()?.memory))))
                .collect();
            let words: Vec<String> = others.iter().map(|arena| shell_word(&arena.path).to_string()).collect();
            (!others.is_empty()).then(|| {
                Finding::note(
                    SUBJECT,
                    format!("{setting}={text}, but the arena {}", sizes.join(", ")),
                    "An arena keeps the size with which it was made. The command removes it; the next process makes it again, empty.",
                )
                .fixed_by(format!("leveret rm --force {}", words.join(" ")))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::stats::Summary;

    fn known(name: &str, memory: u64, servers: &[&str]) -> KnownArena {
        KnownArena {
            name: name.to_owned(),
            path: format!("/caches/{name}.arena").into(),
            servers: servers.iter().map(|server| (*server).to_owned()).collect(),
            file_len: 0,
            state: Ok(Summary { memory, ..Summary::default() }),
        }
    }

    fn answer(settings: &[(&str, &str)]) -> PhpAnswer {
        let settings: std::collections::BTreeMap<String, Option<String>> =
            settings.iter().map(|(name, value)| ((*name).to_owned(), Some((*value).to_owned()))).collect();
        PhpAnswer { configured: settings.clone(), settings, ..PhpAnswer::default() }
    }

    #[test]
    fn sizes_are_read_as_php_reads_them() {
        for (text, want) in [
            ("64M", Some(64 << 20)),
            ("64m", Some(64 << 20)),
            ("1G", Some(1 << 30)),
            ("512K", Some(512 << 10)),
            ("33554432", Some(32 << 20)),
            (" 8M ", Some(8 << 20)),
            ("64MB", None),
            ("lots", None),
            ("1.5G", None),
            ("-1", None),
            ("+1", None),
            ("", None),
            ("M", None),
            ("99999999999G", None),
        ] {
            assert_eq!(parse(text), want, "{text:?}");
        }
        for (setting, text, want) in [
            ("apc.shm_size", "32", 32 << 20),
            ("apc.shm_size", "32M", 32 << 20),
            ("apc.shm_size", "33554432", 32 << 20),
            ("apc.shm_size", "1M", MEMORY_MIN),
            ("leveret.memory", "67108864", 64 << 20),
        ] {
            assert_eq!(asked_of(setting, text), Some(want), "{setting}={text}");
        }
    }

    #[test]
    fn what_php_does_not_understand_is_a_problem() {
        for (setting, text, want) in [
            ("apc.shm_size", "64MB", 1),
            ("apc.shm_size", "lots", 1),
            ("apc.shm_size", "32", 0),
            ("apc.shm_size", "0", 0),
            ("apc.shm_size", "-1", 0),
            ("apc.shm_size", "", 0),
            ("leveret.memory", "lots", 1),
            ("leveret.memory", "64M", 0),
        ] {
            assert_eq!(unreadable(&answer(&[(setting, text)])).len(), want, "{setting}={text}");
        }
        assert_eq!(unreadable(&PhpAnswer::default()), []);
    }

    #[test]
    fn arenas_of_another_size_are_told_in_one_finding_a_setting() {
        let answer = answer(&[
            ("leveret.memory", "64M"),
            ("apc.shm_size", "32"),
            ("leveret.arena", "arena:shop"),
            ("leveret.apcu_arena", "apcu-8.2"),
        ]);
        let found =
            |known: &[KnownArena]| examine(&answer, known).into_iter().map(|finding| finding.found).collect::<Vec<_>>();
        let no_findings: [&str; 0] = [];
        assert_eq!(found(&[known("shop", 64 << 20, &[]), known("apcu-8.2", 32 << 20, &[])]), no_findings);
        assert_eq!(
            found(&[known("mail", 128 << 20, &[]), known("apcu-8.3", 8 << 20, &[])]),
            no_findings,
            "on purpose, and another PHP's"
        );
        assert_eq!(found(&[known("default", 8 << 20, &["tcp 127.0.0.1:11211"])]), no_findings, "a server's");
        assert_eq!(
            found(&[known("shop", 128 << 20, &[]), known("mail", 8 << 20, &[]), known("apcu-8.2", 8 << 20, &[])]),
            [
                "leveret.memory=64M, but the arena shop has 128.0 MiB, mail has 8.0 MiB",
                "apc.shm_size=32, but the arena apcu-8.2 has 8.0 MiB"
            ]
        );
        let fixes = examine(&answer, &[known("shop", 8 << 20, &[]), known("mail", 8 << 20, &[])]);
        assert_eq!(fixes[0].fix.as_deref(), Some("leveret rm --force /caches/shop.arena /caches/mail.arena"));
    }
}
