//! Debian's /etc/memcached.conf: memcached's options, one on a line, with comments and `logfile FILE`. Debian's two
//! start scripts join the lines and hand them to a shell, so quotes work and a line may hold several words.
use std::path::PathBuf;

/// Contents of such a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Conf {
    /// Options, as on the command line.
    pub words: Vec<String>,
    /// Log file of a server in the background.
    pub logfile: Option<PathBuf>,
}

/// Reads the file's text. The error is one line and begins with the line's number.
pub fn read(text: &str) -> Result<Conf, String> {
    let mut conf = Conf::default();
    for (at, line) in text.lines().enumerate() {
        let words = split(line).map_err(|error| format!("line {}: {error}", at + 1))?;
        match words.first().map(String::as_str) {
            None => {}
            // The scripts drop these: the caller decides whether the server runs in the background.
            Some(first) if first.starts_with("-d") || first.starts_with("-h") => {}
            Some(first) if first.starts_with('-') => conf.words.extend(words),
            Some("logfile") if words.len() == 2 => conf.logfile = words.get(1).map(PathBuf::from),
            Some(first) => return Err(format!("line {}: '{first}' is neither an option nor 'logfile FILE'", at + 1)),
        }
    }
    Ok(conf)
}

/// Words as a shell splits them: blanks outside quotes, `#` begins a comment, a backslash takes the next character as
/// it is.
fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            ('\\', None | Some('"')) => {
                word.get_or_insert_default().push(letters.next().ok_or("a backslash at the end of the line")?);
            }
            ('\'' | '"', None) => {
                word.get_or_insert_default();
                quote = Some(letter);
            }
            ('#', None) => break,
            (_, None) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(quote) = quote {
        return Err(format!("a {quote} that nothing closes"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_debian_installs() {
        let text = "# memcached default config file\n\n-d\n\nlogfile /var/log/memcached.log\n# -v\n-m 64\n-p 11211  # comment\n  -u memcache\n-l 127.0.0.1\n-P /var/run/memcached/memcached.pid\n";
        let conf = read(text).expect("understood");
        assert_eq!(conf.words.join(" "), "-m 64 -p 11211 -u memcache -l 127.0.0.1 -P /var/run/memcached/memcached.pid");
        assert_eq!(conf.logfile, Some(PathBuf::from("/var/log/memcached.log")));
    }

    #[test]
    fn quotes_and_several_words_on_a_line() {
        for (line, want) in [
            ("-s '/run/my cache.sock' -a 770", &["-s", "/run/my cache.sock", "-a", "770"][..]),
            ("-o \"modern,track_sizes\"", &["-o", "modern,track_sizes"]),
            ("-s /run/a\\ b\\#c # and so on", &["-s", "/run/a b#c"]),
            ("-D '#'", &["-D", "#"]),
            ("-D ''", &["-D", ""]),
            ("--memory-limit=64", &["--memory-limit=64"]),
            ("\t# nothing", &[]),
        ] {
            assert_eq!(
                read(line).map(|conf| conf.words),
                Ok(want.iter().map(|word| (*word).to_owned()).collect()),
                "{line:?}"
            );
        }
    }

    #[test]
    fn what_it_does_not_understand_is_named_by_its_line() {
        for (text, part) in [
            ("-m 64\n-s 'a\n", "line 2: a ' that"),
            ("port 11211", "line 1: 'port' is neither"),
            ("-m 6\\", "line 1: a backslash"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.starts_with(part), "{error}");
        }
    }
}
