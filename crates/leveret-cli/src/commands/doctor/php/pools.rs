//! The pools of php-fpm: as which user each runs, and whether it has an arena folder of its own.
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, PartialEq, Eq)]
pub struct FpmPool {
    pub name: String,
    pub user: String,
    pub dir: Option<PathBuf>,
}

pub fn read(folder: &Path) -> Vec<FpmPool> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "conf"))
        .collect();
    files.sort();
    files.iter().filter_map(|path| fs::read_to_string(path).ok()).flat_map(|text| parse(&text)).collect()
}

fn parse(text: &str) -> Vec<FpmPool> {
    let mut pools: Vec<FpmPool> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with([';', '#'])) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            pools.push(FpmPool { name: name.to_owned(), user: String::new(), dir: None });
            continue;
        }
        let (Some(pool), Some((name, value))) = (pools.last_mut(), line.split_once('=')) else { continue };
        let value = value.trim().trim_matches(['"', '\'']);
        match name.trim() {
            "user" => pool.user = value.replace("$pool", &pool.name),
            "php_admin_value[leveret.dir]" | "php_value[leveret.dir]" => pool.dir = Some(PathBuf::from(value)),
            // An INI setting wins over the environment, wherever the two lines stand.
            "env[LEVERET_DIR]" => pool.dir = pool.dir.take().or_else(|| Some(PathBuf::from(value))),
            _ => {}
        }
    }
    // [global] and pools that run as the user who started them name no user.
    pools.retain(|pool| !pool.user.is_empty());
    pools
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_with_their_users_and_folders() {
        let text = "[global]\npid = /run/x\n[www]\n; user = nobody\nuser = www-data\n[shop]\nenv[LEVERET_DIR] = /a\nuser=$pool\nphp_admin_value[leveret.dir] = \"/run/shop\"\n[foreground]\nlisten = 9000\n";
        let pool = |name: &str, user: &str, dir: Option<&str>| FpmPool {
            name: name.to_owned(),
            user: user.to_owned(),
            dir: dir.map(PathBuf::from),
        };
        assert_eq!(parse(text), [pool("www", "www-data", None), pool("shop", "shop", Some("/run/shop"))]);
        assert_eq!(parse("[a]\nuser=u\nenv[LEVERET_DIR]=/e\n"), [pool("a", "u", Some("/e"))]);
    }
}
