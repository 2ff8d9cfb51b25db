//! The flushes of redis-cache, WordPress' plugin: they delete all keys that match a pattern which stands in their text, but
//! for those that name a group to be kept. Their tokens are compared, with holes for the literals.
use super::token::{tokens, LuaTokenKind};

/// A flush by pattern.
#[derive(Debug, PartialEq)]
pub struct PatternFlush {
    /// As of SCAN's MATCH.
    pub pattern: Vec<u8>,
    /// Keys that contain one of the script's keys, after this many bytes, are kept.
    pub kept_behind: Option<usize>,
}

/// `%` stands for the pattern, `%n` for the length of its salt.
const PLAIN: &str = "local cur = 0 local i = 0 local tmp repeat tmp = redis . call ( 'SCAN' , cur , 'MATCH' , % ) \
    cur = tonumber ( tmp [ 1 ] ) if tmp [ 2 ] then for _ , v in pairs ( tmp [ 2 ] ) do redis . call ( 'del' , v ) \
    i = i + 1 end end until 0 == cur return i";

const WITH_GROUPS: &str =
    "local cur = 0 local i = 0 local d , tmp repeat tmp = redis . call ( 'SCAN' , cur , 'MATCH' , % ) \
    cur = tonumber ( tmp [ 1 ] ) if tmp [ 2 ] then for _ , v in pairs ( tmp [ 2 ] ) do d = true \
    for _ , s in pairs ( KEYS ) do d = d and not v : find ( s , %n ) if not d then break end end \
    if d then redis . call ( 'del' , v ) i = i + 1 end end end until 0 == cur return i";

/// Required first by Redis before version 5.
const PREFIX: &str = "redis . replicate_commands ( )";

/// The flush that a text is.
pub fn pattern_flush(text: &[u8]) -> Option<PatternFlush> {
    let found: Vec<LuaTokenKind> = tokens(text)?.into_iter().map(|token| token.kind).collect();
    let prefix: Vec<&str> = PREFIX.split_whitespace().collect();
    let found = match found.get(..prefix.len()) {
        Some(front) if compare(&prefix, front).is_some() => &found[prefix.len()..],
        _ => &found,
    };
    [PLAIN, WITH_GROUPS].into_iter().find_map(|template| {
        let words: Vec<&str> = template.split_whitespace().collect();
        let (pattern, length) = compare(&words, found)?;
        Some(PatternFlush { pattern: pattern?, kept_behind: length })
    })
}

/// Contents of the holes.
fn compare(template: &[&str], found: &[LuaTokenKind]) -> Option<(Option<Vec<u8>>, Option<usize>)> {
    if template.len() != found.len() {
        return None;
    }
    let (mut pattern, mut length) = (None, None);
    for (word, token) in template.iter().zip(found) {
        let is_same = match token {
            LuaTokenKind::Text(text) if *word == "%" => {
                pattern = Some(text.clone());
                true
            }
            LuaTokenKind::Number(number) if *word == "%n" => {
                length = Some(*number as usize);
                *number >= 0.0 && number.fract() == 0.0
            }
            LuaTokenKind::Text(text) => word.trim_matches('\'').as_bytes().eq_ignore_ascii_case(text),
            LuaTokenKind::Number(number) => word.parse() == Ok(*number),
            LuaTokenKind::Name(name) => word.as_bytes() == name,
            LuaTokenKind::Sign(sign) => word == sign,
        };
        if !is_same {
            return None;
        }
    }
    Some((pattern, length))
}

impl PatternFlush {
    /// Whether this key is to be deleted. A group is plain text here; to the original it is a pattern of Lua.
    pub fn deletes(&self, key: &[u8], groups: &[&[u8]]) -> bool {
        let Some(from) = self.kept_behind else { return true };
        let behind = key.get(from.saturating_sub(1)..).unwrap_or_default();
        !groups.iter().any(|group| group.is_empty() || behind.windows(group.len()).any(|window| window == *group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flushes_of_redis_cache_are_known_whatever_their_salt() {
        let plain = "redis.replicate_commands()\nlocal cur = 0\nlocal i = 0\nlocal tmp\nrepeat\n  tmp = redis.call('SCAN', cur, 'MATCH', 'wp[*]x:*')\n\
            cur = tonumber(tmp[1]) if tmp[2] then for _, v in pairs(tmp[2]) do redis.call('del', v) i = i + 1 end end until 0 == cur\nreturn i";
        assert_eq!(
            pattern_flush(plain.as_bytes()),
            Some(PatternFlush { pattern: b"wp[*]x:*".into(), kept_behind: None })
        );
        assert_eq!(pattern_flush(plain.replace("'del'", "'get'").as_bytes()), None);
        assert_eq!(pattern_flush(plain.replace("+ 1", "+ 2").as_bytes()), None);
        let with_groups = "local cur = 0 local i = 0 local d, tmp repeat tmp = redis.call('SCAN', cur, 'MATCH', 'wp_*')\n\
            cur = tonumber(tmp[1]) if tmp[2] then for _, v in pairs(tmp[2]) do d = true for _, s in pairs(KEYS) do\n\
            d = d and not v:find(s, 3) if not d then break end end if d then redis.call('del', v) i = i + 1 end end end\n\
            until 0 == cur return i";
        let flush = pattern_flush(with_groups.as_bytes()).expect("a flush");
        assert_eq!(flush, PatternFlush { pattern: b"wp_*".into(), kept_behind: Some(3) });
        assert!(
            flush.deletes(b"wp_:posts:1", &[b":users:"]) && !flush.deletes(b"wp_:users:1", &[b":posts:", b":users:"])
        );
        assert!(flush.deletes(b"wp_", &[b":users:"]) && flush.deletes(b"w", &[b"w"]));
    }
}
