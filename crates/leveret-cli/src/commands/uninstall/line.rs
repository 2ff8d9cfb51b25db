//! Replaces a line that needs Leveret: with a new line if its form is known, else with instructions for a person.
use super::server::ServerAddress;

/// The outcome for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineChange {
    /// This text takes its place.
    Replace(String),
    Remove,
    /// Only a person can do it: the text to write.
    ByHand(&'static str),
}

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Texts in quotes: PHP, Ruby, Python, JSON.
    Code,
    /// Names and values: php.ini, units, .env, YAML and the like.
    Settings,
}

const SERVER_BY_HAND: &str = "the memcached's host and port; its place in this line is not clear, so write it by hand";
const STORE_BY_HAND: &str = ":mem_cache_store, with the memcached's host and port as one word";
const CODE_BY_HAND: &str = "nothing: this code calls Leveret itself, so change it or keep Leveret";
const REMOVE_BY_HAND: &str = "nothing: remove the setting from this line by hand";

/// Changes of a text: line numbers from 0, in their order.
pub fn changes(text: &str, language: Language, server: &ServerAddress) -> Vec<(usize, LineChange)> {
    let lines: Vec<&str> = text.lines().collect();
    let plain = plain_lines(&lines, language);
    let mut changes: Vec<(usize, LineChange)> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let Some(change) = change_of(&lines, number, language, server) else { continue };
        let is_alone = plain[number] && !line.ends_with('\\') && (number == 0 || !lines[number - 1].ends_with('\\'));
        let (change, port) = if is_alone { change } else { (by_hand_instead(change.0), None) };
        changes.push((number, change));
        changes.extend(port);
    }
    changes.sort_by_key(|(number, _)| *number);
    changes.dedup_by_key(|(number, _)| *number);
    changes
}

fn by_hand_instead(change: LineChange) -> LineChange {
    match change {
        LineChange::Replace(_) => LineChange::ByHand(SERVER_BY_HAND),
        LineChange::Remove => LineChange::ByHand(REMOVE_BY_HAND),
        by_hand => by_hand,
    }
}

type Changed = (LineChange, Option<(usize, LineChange)>);

fn change_of(lines: &[&str], number: usize, language: Language, server: &ServerAddress) -> Option<Changed> {
    let line = lines[number];
    let trimmed = line.trim();
    if trimmed.starts_with(['#', ';']) || trimmed.starts_with("//") || trimmed.starts_with('*') {
        return None;
    }
    let by_hand = |words| Some((LineChange::ByHand(words), None));
    if trimmed.contains("leveret_store") {
        return by_hand(STORE_BY_HAND);
    }
    if trimmed.contains("Leveret\\")
        || trimmed.contains("Leveret::")
        || trimmed.contains("leveret/") && trimmed.contains("require")
    {
        return by_hand(CODE_BY_HAND);
    }
    if names_arena(without_comment(line, language)) {
        return Some(
            with_server(lines, number, language, server).unwrap_or((LineChange::ByHand(SERVER_BY_HAND), None)),
        );
    }
    // In a unit `Environment=` stands before the name, in a pool of php-fpm `php_admin_value[`.
    let setting = trimmed.rsplit_once('=').map_or("", |(setting, _)| setting);
    let is_ours = ["leveret.", "LEVERET_"].iter().any(|word| setting.contains(word));
    let is_all = language == Language::Settings && is_only_ours(trimmed);
    match is_ours || trimmed.starts_with("extension=leveret") {
        false => None,
        true if is_all => Some((LineChange::Remove, None)),
        true => by_hand(REMOVE_BY_HAND),
    }
}

/// The line up to a comment behind which nothing stands.
fn without_comment(line: &str, language: Language) -> &str {
    match values(line, language) {
        Some((_, end)) if !line[end..].starts_with("/*") || line.find("*/") == Some(line.trim_end().len() - 2) => {
            &line[..end]
        }
        _ => line,
    }
}

/// Whether a line that sets something of Leveret sets nothing else.
fn is_only_ours(line: &str) -> bool {
    if ["extension=leveret", "extension=leveret.so"].contains(&line) {
        return true;
    }
    let is_name = |name: &str| {
        ["leveret.", "LEVERET_"].iter().any(|begin| {
            name.strip_prefix(begin)
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        })
    };
    if let Some(assignment) = line.strip_prefix("Environment=") {
        let quoted = assignment.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let (name, value) = quoted.unwrap_or(assignment).split_once('=').unwrap_or_default();
        let is_one = !value.contains(['"', '\'']) && (quoted.is_some() || !value.contains(char::is_whitespace));
        return is_name(name) && is_one;
    }
    let Some((name, value)) = line.split_once('=') else { return false };
    let name = name.trim().strip_prefix("export ").unwrap_or(name).trim();
    let in_brackets = ["php_value[", "php_admin_value[", "php_flag[", "php_admin_flag[", "env["]
        .iter()
        .find_map(|begin| name.strip_prefix(begin))
        .and_then(|rest| rest.strip_suffix(']'));
    // A value may go on in the next line only inside of quotes.
    let is_whole = value.matches('"').count() % 2 == 0 && value.matches('\'').count() % 2 == 0;
    is_name(in_brackets.unwrap_or(name)) && is_whole
}

/// The line with a memcached in the place of its one arena, and what becomes of the line that has the port.
fn with_server(lines: &[&str], number: usize, language: Language, server: &ServerAddress) -> Option<Changed> {
    let line = lines[number];
    let (values, end) = values(line, language)?;
    let mut found = None;
    for value in &values {
        let mut begin = value.begin;
        for part in line[value.begin..value.end].split(',') {
            let at = begin + part.len() - part.trim_start().len();
            begin += part.len() + 1;
            if let Some(reference) = Reference::of(part.trim()) {
                // Two arenas would become the same server twice.
                if found.replace((*value, at, part.trim(), reference)).is_some() {
                    return None;
                }
            }
        }
    }
    let (value, at, part, reference) = found?;
    // Another one is there that is not understood.
    if names_arena(&format!("{}{}", &line[..at], &line[at + part.len()..end])) {
        return None;
    }
    let (before, after) = (&line[..at], &line[at + part.len()..]);
    if value.quote.is_some() && is_joined(&line[..value.begin - 1], &line[value.end + 1..]) {
        return None;
    }
    let is_whole = at == value.begin && at + part.len() == value.end;
    let put = |text: &str| LineChange::Replace(format!("{before}{text}{after}"));
    let both = format!("{}:{}", server.host, server.port);
    let key = line[..value.begin].to_ascii_lowercase();
    let key = key.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    if let Reference::Url { query } = reference {
        return Some((put(&format!("memcached://{both}{query}")), None));
    }
    if key.ends_with("save_path") {
        let text = match handler(lines)? {
            "memcached" => both,
            "memcache" => format!("tcp://{both}"),
            _ => return None,
        };
        return Some((put(&text), None));
    }
    if let (Some(quote), true) = (value.quote, is_whole) {
        let behind = &line[value.end + 1..];
        if let Some((number, rest)) = number_behind_comma(behind) {
            // Anything else might be no port.
            let is_port = ["0", "11211"].contains(&number);
            let pair = format!("{before}{}{quote}, {}{rest}", server.host, server.port);
            return is_port.then_some((LineChange::Replace(pair), None));
        }
        if is_call_with_port(&line[..value.begin - 1]) {
            let pair = format!("{before}{}{quote}, {}{behind}", server.host, server.port);
            return Some((LineChange::Replace(pair), None));
        }
    }
    if key.ends_with("host") && is_whole {
        return beside_port(lines, number, key, server, &put(&server.host));
    }
    Some((put(&both), None))
}

/// A host whose port is a setting of its own: in this line or near it; of `NAME_HOST` it is `NAME_PORT`, anywhere in the file.
fn beside_port(lines: &[&str], number: usize, key: &str, server: &ServerAddress, host: &LineChange) -> Option<Changed> {
    let LineChange::Replace(with_host) = host else { return None };
    let name = key.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
    let variable = name.strip_suffix("_host").map(|begin| format!("{begin}_port"));
    let port_name = variable.as_deref().unwrap_or("port");
    let with_port = |line: &str| {
        let (begin, end) = port_in(line, port_name)?;
        Some(match &line[begin..end] {
            "0" | "" => Some(format!("{}{}{}", &line[..begin], server.port, &line[end..])),
            port => (port == server.port.to_string()).then(|| line.to_owned()),
        })
    };
    if let Some(changed) = with_port(with_host) {
        return Some((LineChange::Replace(changed?), None));
    }
    let near = match &variable {
        Some(_) => 0..lines.len(),
        None => number.saturating_sub(3)..(number + 4).min(lines.len()),
    };
    let is_comment = |line: &str| line.trim_start().starts_with(['#', ';', '*']) || line.trim_start().starts_with("//");
    let mut ports = near.filter(|at| !is_comment(lines[*at])).filter_map(|at| Some((at, with_port(lines[at])?)));
    match (ports.next(), ports.next()) {
        (Some((at, changed)), None) => {
            let changed = changed?;
            let is_new = changed != lines[at];
            Some((host.clone(), is_new.then_some((at, LineChange::Replace(changed)))))
        }
        // The usual port is an application's default.
        (None, _) if variable.is_some() && server.port == 11211 => Some((host.clone(), None)),
        _ => None,
    }
}

/// Where the number behind a name lies.
fn port_in(line: &str, name: &str) -> Option<(usize, usize)> {
    let lower = line.to_ascii_lowercase();
    let is_begin = |at: usize| !lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let (at, _) = lower.match_indices(name).find(|(at, _)| is_begin(*at))?;
    let sign = line[at + name.len()..].trim_start_matches(['"', '\'', ' ']);
    let value = ["=>", "=", ":", ","].iter().find_map(|text| sign.strip_prefix(text))?;
    let value = value.trim_start_matches([' ', '"', '\'']);
    let len = value.bytes().take_while(u8::is_ascii_digit).count();
    let begin = line.len() - value.len();
    let is_end = value[len..].chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '.');
    is_end.then_some((begin, begin + len))
}

/// Whether a string is only a part of what the code makes of it.
fn is_joined(before: &str, behind: &str) -> bool {
    before.trim_end().ends_with(['.', '+', '%']) || behind.trim_start().starts_with(['.', '+', '%'])
}

/// `, 0` behind a string: the number, and what follows it.
fn number_behind_comma(behind: &str) -> Option<(&str, &str)> {
    let rest = behind.trim_start().strip_prefix(',')?.trim_start();
    let len = rest.bytes().take_while(u8::is_ascii_digit).count();
    let is_number = len > 0 && !rest[len..].starts_with(|c: char| c.is_alphanumeric() || c == '.');
    is_number.then(|| rest.split_at(len))
}

/// Functions of PHP's clients that take host and port.
fn is_call_with_port(before: &str) -> bool {
    let Some(call) = before.trim_end().strip_suffix('(') else { return false };
    let call = call.trim_end().to_ascii_lowercase();
    ["addserver", "connect", "pconnect"]
        .iter()
        .any(|name| call.strip_suffix(name).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric())))
}

/// The session handler that the file sets, if it is one.
fn handler<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let mut handlers =
        lines.iter().filter(|line| !line.trim_start().starts_with(['#', ';', '/', '*'])).filter_map(|line| {
            let rest = line.split_once("session.save_handler")?.1;
            let word = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
            Some(&word[..word.bytes().take_while(u8::is_ascii_alphanumeric).count()])
        });
    let first = handlers.next()?;
    handlers.all(|other| other == first).then_some(first)
}

/// How an arena is named.
#[derive(Clone, Copy, Debug)]
enum Reference<'a> {
    /// `arena:NAME`, a path, or a path as a Unix socket.
    Server,
    /// As Symfony writes it.
    Url { query: &'a str },
}

impl Reference<'_> {
    /// None: the text is something else, or has something else in it.
    fn of(text: &str) -> Option<Reference<'_>> {
        if let Some(rest) = text.strip_prefix("memcached:") {
            let (place, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
            let place = place.strip_prefix("//").unwrap_or(place);
            return is_arena(place).then_some(Reference::Url { query });
        }
        let place = text.strip_prefix("unix://").unwrap_or(text);
        is_arena(place.strip_suffix(":0").unwrap_or(place)).then_some(Reference::Server)
    }
}

fn is_arena(text: &str) -> bool {
    if let Some(name) = text.strip_prefix("arena:") {
        let is_letter = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        return name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.bytes().all(is_letter);
    }
    text.starts_with('/') && text.ends_with(".arena") && !text.contains(['?', ':', '"', '\'', '$', '\\'])
}

/// A value in a line: its bytes, without the quotes.
#[derive(Clone, Copy, Debug)]
struct Text {
    begin: usize,
    end: usize,
    quote: Option<char>,
}

/// The strings of a line that are no comment, and where one begins; of settings also one value without quotes. None: a
/// quote has no end.
fn values(line: &str, language: Language) -> Option<(Vec<Text>, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let mut is_escaped = false;
    let mut end = line.len();
    for (at, letter) in line.char_indices() {
        match open {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if letter == '\\' => is_escaped = true,
            Some((quote, begin)) if letter == quote => {
                found.push(Text { begin, end: at, quote: Some(quote) });
                open = None;
            }
            Some(_) => {}
            None if matches!(letter, '"' | '\'') => open = Some((letter, at + 1)),
            None if begins_comment(line, at, language) => {
                end = at;
                break;
            }
            None => {}
        }
    }
    if open.is_some() {
        return None;
    }
    if found.is_empty() && language == Language::Settings {
        found.extend(bare_value(&line[..end]));
    }
    Some((found, end))
}

fn begins_comment(line: &str, at: usize, language: Language) -> bool {
    let rest = &line[at..];
    match language {
        Language::Code => rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#'),
        Language::Settings => rest.starts_with(['#', ';']) && (at == 0 || line[..at].ends_with([' ', '\t'])),
    }
}

/// `NAME=value`, `name: value`, and Apache's `php_value name value`.
fn bare_value(line: &str) -> Option<Text> {
    let line = line.trim_end();
    let is_name = |name: &str| {
        let name = name.trim().strip_prefix("export ").unwrap_or(name.trim());
        let is_letter = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'[' | b']');
        !name.is_empty() && name.bytes().all(is_letter)
    };
    let by_sign = ["=", ": "].iter().find_map(|sign| {
        let (name, value) = line.split_once(sign)?;
        is_name(name).then_some(value)
    });
    let by_apache = || {
        let rest = line.trim_start();
        let rest = ["php_value", "php_admin_value"].iter().find_map(|word| rest.strip_prefix(word))?;
        let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
        rest.split_once([' ', '\t']).map(|(_, value)| value)
    };
    let value = by_sign.or_else(by_apache)?.trim_start();
    let is_one = !value.is_empty() && !value.contains([' ', '\t', '"', '\'', '[', '{', '(']);
    is_one.then_some(Text { begin: line.len() - value.len(), end: line.len(), quote: None })
}

/// Which lines of code begin as code: not inside of a comment or a text of several lines.
fn plain_lines(lines: &[&str], language: Language) -> Vec<bool> {
    if language == Language::Settings {
        return vec![true; lines.len()];
    }
    let mut until: Option<String> = None;
    let mut plain = Vec::with_capacity(lines.len());
    for line in lines {
        plain.push(until.is_none());
        match &until {
            Some(end) if end == "*/" => {
                if line.contains("*/") {
                    until = None;
                }
            }
            Some(end) => {
                if line.trim_start().starts_with(end.as_str()) {
                    until = None;
                }
            }
            None => until = what_ends(line),
        }
    }
    plain
}

/// What ends the comment or text that a line leaves open.
fn what_ends(line: &str) -> Option<String> {
    if let Some((_, name)) = line.split_once("<<<") {
        let name = name.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        return (!name.is_empty()).then(|| name.to_owned());
    }
    let (_, comment) = values(line, Language::Code)?;
    let comment = line[comment..].strip_prefix("/*")?;
    (!comment.contains("*/")).then(|| "*/".to_owned())
}

/// `arena:NAME`, or a path that ends in `.arena`.
fn names_arena(line: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let by_name = line.match_indices("arena:").any(|(at, word)| {
        let after = &line[at + word.len()..];
        !line[..at].ends_with(is_word) && after.starts_with(|c: char| c.is_ascii_alphanumeric())
    });
    let by_path = line.match_indices(".arena").any(|(at, word)| {
        let before = line[..at].rsplit(|c: char| !is_word(c) && c != '/').next().unwrap_or_default();
        before.contains('/') && !line[at + word.len()..].starts_with(is_word)
    });
    by_name || by_path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> ServerAddress {
        "127.0.0.1:11211".parse().expect("a server")
    }

    const BY_HAND: &str = "by hand";

    /// The text after all changes, unless a line is left to a person.
    fn changed(text: &str, language: Language, server: &ServerAddress) -> String {
        let mut lines: Vec<Option<String>> = text.lines().map(|line| Some(line.to_owned())).collect();
        for (number, change) in changes(text, language, server) {
            lines[number] = match change {
                LineChange::Replace(line) => Some(line),
                LineChange::Remove => None,
                LineChange::ByHand(_) => return BY_HAND.to_owned(),
            };
        }
        lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn lines_of_known_forms_are_rewritten() {
        use Language::{Code, Settings};
        for (language, line, want) in [
            (Settings, "MEMCACHED_HOST=arena:laravel", "MEMCACHED_HOST=127.0.0.1"),
            (Settings, "MEMCACHED_HOST=\"arena:laravel\"  # shared", "MEMCACHED_HOST=\"127.0.0.1\"  # shared"),
            (Settings, "MEMCACHED_HOST=arena:x\nMEMCACHED_PORT=0", "MEMCACHED_HOST=127.0.0.1\nMEMCACHED_PORT=11211"),
            (Settings, "REDIS_PORT=6379\nMEMCACHED_PORT=\nMEMCACHED_HOST=arena:x", "REDIS_PORT=6379\nMEMCACHED_PORT=11211\nMEMCACHED_HOST=127.0.0.1"),
            (Settings, "MEMCACHED_DSN=memcached:///dev/shm/leveret/shop.arena", "MEMCACHED_DSN=memcached://127.0.0.1:11211"),
            (Settings, "DSN='memcached:arena:shop?weight=3'", "DSN='memcached://127.0.0.1:11211?weight=3'"),
            (Settings, "        default_memcached_provider: 'memcached:///dev/shm/leveret/shop.arena'", "        default_memcached_provider: 'memcached://127.0.0.1:11211'"),
            (Settings, "session.save_handler = memcached\nsession.save_path = \"unix:///dev/shm/leveret/mail.arena\"", "session.save_handler = memcached\nsession.save_path = \"127.0.0.1:11211\""),
            (Settings, "php_value[session.save_handler] = memcache\nphp_value[session.save_path] = arena:mail", "php_value[session.save_handler] = memcache\nphp_value[session.save_path] = tcp://127.0.0.1:11211"),
            (Settings, "  php_value session.save_handler memcached\n  php_value session.save_path arena:mail", "  php_value session.save_handler memcached\n  php_value session.save_path 127.0.0.1:11211"),
            (Settings, "session.save_path = arena:mail", BY_HAND),
            (Settings, "session.save_handler=memcached\nsession.save_path=\"arena:a, cache2.example.com:11211\"", "session.save_handler=memcached\nsession.save_path=\"127.0.0.1:11211, cache2.example.com:11211\""),
            (Settings, "leveret.memory = 256M\nother = 1", "other = 1"),
            (Settings, "php_admin_value[leveret.dir] = /srv/caches", ""),
            (Settings, "env[LEVERET_DIR] = /srv/caches", ""),
            (Settings, "Environment=LEVERET_DIR=/srv/caches", ""),
            (Settings, "Environment=\"LEVERET_DIR=/srv/my caches\"", ""),
            (Settings, "extension=leveret.so", ""),
            (Code, "$wgMemCachedServers = ['arena:wiki'];", "$wgMemCachedServers = ['127.0.0.1:11211'];"),
            (Code, "$memcached_servers = ['unix:///dev/shm/leveret/wordpress.arena'];", "$memcached_servers = ['127.0.0.1:11211'];"),
            (Code, "$memcached_servers = array( 'default' => array( \"arena:wp\", '10.0.0.2:11211' ) ); // 'arena:old'", "$memcached_servers = array( 'default' => array( \"127.0.0.1:11211\", '10.0.0.2:11211' ) ); // 'arena:old'"),
            (Code, "$memcached_servers = array( 'default' => array( \"arena:wp\", '10.0.0.2:11211' ) ); // one more", "$memcached_servers = array( 'default' => array( \"127.0.0.1:11211\", '10.0.0.2:11211' ) ); // one more"),
            (Code, "$settings['memcache']['servers'] = ['unix:///dev/shm/leveret/site.arena' => 'default'];", "$settings['memcache']['servers'] = ['127.0.0.1:11211' => 'default'];"),
            (Code, "    'memcached_servers' => [['/dev/shm/leveret/cloud.arena', 0]],", "    'memcached_servers' => [['127.0.0.1', 11211]],"),
            (Code, "    'memcached_servers' => [['/srv/my caches/cloud.arena', 0, 33]],", "    'memcached_servers' => [['127.0.0.1', 11211, 33]],"),
            (Code, "$m->addServer('arena:x', 0); // fast", "$m->addServer('127.0.0.1', 11211); // fast"),
            (Code, "$m->addServer('arena:x');", "$m->addServer('127.0.0.1', 11211);"),
            (Code, "'host' => env('MEMCACHED_HOST', 'arena:x'),\n'port' => env('MEMCACHED_PORT', 0),", "'host' => env('MEMCACHED_HOST', '127.0.0.1'),\n'port' => env('MEMCACHED_PORT', 11211),"),
            (Code, "['host' => 'arena:x', 'port' => 0, 'weight' => 1]", "['host' => '127.0.0.1', 'port' => 11211, 'weight' => 1]"),
            (Code, "['host' => 'arena:x', 'weight' => 1]", BY_HAND),
        ] {
            assert_eq!(changed(line, language, &server()), want, "{line}");
        }
        let other: ServerAddress = "cache.example.com:11311".parse().expect("a server");
        assert_eq!(changed("['arena:x']", Language::Code, &other), "['cache.example.com:11311']");
        assert_eq!(changed("MEMCACHED_HOST=arena:x", Language::Settings, &other), BY_HAND, "no line says the port");
    }

    #[test]
    fn what_is_not_understood_is_left_to_a_person() {
        for line in [
            "config.cache_store = :leveret_store, \"arena:shop\"",
            "$cache = new Leveret\\Cache('shop');",
            "require \"leveret/dalli\"",
            "['arena:a', 'arena:b']",
            "$dsn = \"memcached://$host/x.arena\";",
            "$servers = [ARENA, 'prefix arena:x'];",
            "$open = ['arena:x",
            "echo <<<END\n  ['arena:x']\nEND;",
            "/* no longer:\n  ['arena:x']\n*/",
            "ini_set('leveret.memory', $x = 1);\nputenv('LEVERET_DIR=/srv');",
            "$m->addServer('arena:x', 5);",
            "call('arena:x' . $suffix);",
            "call($prefix . 'arena:x');",
        ] {
            for (number, change) in changes(line, Language::Code, &server()) {
                assert!(matches!(change, LineChange::ByHand(_)), "{line}: {number} {change:?}");
            }
        }
        for line in [
            "leveret.dir = \"/srv",
            "Environment=LEVERET_DIR=/srv A=b",
            "Environment=A=b LEVERET_DIR=/srv",
            "ExecStart=leveret serve --arena /srv/x.arena",
            "Environment=A=b \\\n  LEVERET_DIR=/srv",
            "MEMCACHED_HOST=arena:x\nMEMCACHED_PORT=11411",
            "MEMCACHED_PORT=0\nMEMCACHED_PORT=0\nMEMCACHED_HOST=arena:x",
        ] {
            let changes = changes(line, Language::Settings, &server());
            assert!(!changes.is_empty(), "{line}");
            assert!(changes.iter().all(|(_, change)| matches!(change, LineChange::ByHand(_))), "{line}: {changes:?}");
        }
    }

    #[test]
    fn what_needs_leveret_is_told_from_what_does_not() {
        for line in [
            "; leveret.dir = /srv",
            "# MEMCACHED_HOST=arena:laravel",
            "// ['arena:x']",
            "<?php # ['arena:x']",
            "arena: true",
            "the arena:",
            "sub-arena:x",
            "$file = 'x.arenas';",
            "memcached_host = 127.0.0.1",
            "see leveret.example.org",
        ] {
            for language in [Language::Code, Language::Settings] {
                assert_eq!(changes(line, language, &server()), [], "{line}");
            }
        }
        assert_eq!(changes("$x = 1; /* 'arena:x' */", Language::Code, &server()), []);
    }
}
