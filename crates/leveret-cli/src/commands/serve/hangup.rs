//! SIGHUP: the sources of the options are read again. What may change does, what cannot is told.
use super::sources::{Gathered, Sources};
use super::{make_absolute, process, settings};
use crate::output::Failure;
use leveret_server::log::{self, Level};
use leveret_server::Settings;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The options that may change while the server runs.
const LIVE: [&str; 9] = [
    "--auth-file",
    "--conn-limit",
    "--disable-dumping",
    "--disable-flush-all",
    "--disable-watch",
    "--enable-shutdown",
    "--extended",
    "--max-reqs-per-event",
    "--verbose",
];

/// The settings as they are said now. None: they make no sense, and those of before stay.
pub fn reread(sources: &Sources, started: &Gathered, latest: &RefCell<Option<Gathered>>) -> Option<Settings> {
    let read = || {
        let mut gathered = sources.gather()?;
        if gathered.options.daemon {
            make_absolute(&mut gathered.options)?;
        }
        let (settings, _) = settings::of(&gathered.options)?;
        process::raise_limits(settings.conn_limit, settings.threads, false)?;
        Ok((gathered, settings))
    };
    let (gathered, settings) = read()
        .inspect_err(|error: &Failure| {
            log::tell(Level::Error, format_args!("SIGHUP: {error}; all settings stay as they were"));
        })
        .ok()?;
    let names = |names: BTreeSet<String>, is_live: bool| {
        names.into_iter().filter(|name| LIVE.contains(&name.as_str()) == is_live).collect::<Vec<_>>().join(", ")
    };
    let changed = names(gathered.changed_since(latest.borrow().as_ref().unwrap_or(started)), true);
    let fixed = names(gathered.changed_since(started), false);
    if !changed.is_empty() {
        log::tell(Level::Info, format_args!("SIGHUP: changed from now on: {changed}"));
    }
    if !fixed.is_empty() {
        log::tell(Level::Warning, format_args!("SIGHUP: cannot change while the server runs, restart it: {fixed}"));
    }
    *latest.borrow_mut() = Some(gathered);
    Some(settings)
}
