//! `leveret doctor`: finds faults around the arenas, and says what each means and how to fix it.
//!
//! Each part gathers facts and then judges them. The judgement is a pure function of the facts, so that tests can cover
//! any faulty machine.
mod arenas;
mod contents;
mod folder;
mod known;
mod limits;
mod php;
mod service;
mod volume;

use crate::output::{self, shown, CommandResult, Failure, LongWork, BAD, FAINT, GOOD, STRONG, WARNING};
use crate::target::TargetArgs;
use crate::units::counted;
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Find configuration errors: permissions, sizes, mounts, limits, PHP
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct DoctorArgs {
    /// The PHP to check [default: php, and Debian's configuration of php-fpm, Apache and CGI]
    #[arg(long, value_name = "PATH")]
    php: Option<PathBuf>,

    /// Do not check PHP
    #[arg(long, conflicts_with = "php")]
    no_php: bool,
}

const EXAMPLES: &str = "\
Examples:
  leveret doctor
  sudo -u www-data leveret doctor           the same, for php-fpm's user
  leveret doctor --php /usr/bin/php8.4
  leveret doctor --json | jq 'select(.level == \"problem\")'

What WordPress, Laravel, Rails, Django and others need: a page for each application in docs/apps of the
source, and in /usr/share/doc/leveret/docs/apps of the package.

Exit codes: 0 no problem (but perhaps notes and warnings); 1 at least one problem.";

/// Memory of an arena, unless told otherwise; also what Docker gives /dev/shm.
const USUAL_MEMORY: u64 = leveret_server::settings::MEMORY;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// As it should be.
    Ok,
    /// Good to know.
    Note,
    /// It works, but worse than it could, or not for all users.
    Warning,
    /// It does not work.
    Problem,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub level: Severity,
    /// Which part of the world: folder, arenas, limits, server, php.
    pub subject: &'static str,
    pub found: String,
    /// Why it matters; empty where all is well.
    pub means: String,
    /// A command, or a sentence where no one command does it.
    pub fix: Option<String>,
}

impl Finding {
    pub fn ok(subject: &'static str, found: impl Into<String>) -> Finding {
        Finding { level: Severity::Ok, subject, found: found.into(), means: String::new(), fix: None }
    }

    pub fn note(subject: &'static str, found: impl Into<String>, means: impl Into<String>) -> Finding {
        Finding { level: Severity::Note, subject, found: found.into(), means: means.into(), fix: None }
    }

    pub fn warning(
        subject: &'static str,
        found: impl Into<String>,
        means: impl Into<String>,
        fix: impl Into<String>,
    ) -> Finding {
        Finding { level: Severity::Warning, subject, found: found.into(), means: means.into(), fix: Some(fix.into()) }
    }

    pub fn problem(
        subject: &'static str,
        found: impl Into<String>,
        means: impl Into<String>,
        fix: impl Into<String>,
    ) -> Finding {
        Finding { level: Severity::Problem, subject, found: found.into(), means: means.into(), fix: Some(fix.into()) }
    }

    fn fixed_by(self, fix: impl Into<String>) -> Finding {
        Finding { fix: Some(fix.into()), ..self }
    }
}

impl DoctorArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        let progress = LongWork::of("looking around");
        let findings = self.examine(target)?;
        drop(progress);
        if json {
            let mut out = output::raw();
            for finding in &findings {
                output::json_line(&mut out, finding)?;
            }
            out.flush()?;
        } else {
            print(&mut output::text(), &findings)?;
        }
        Ok(findings.iter().all(|finding| finding.level != Severity::Problem).into())
    }

    fn examine(&self, target: &TargetArgs) -> Result<Vec<Finding>, Failure> {
        let place = match folder::ArenaFolder::of(target.dir()) {
            Ok(place) => place,
            Err(error) => {
                return Ok(vec![Finding::problem(
                    "folder",
                    error.to_string(),
                    "Without a folder no arena can be made or found.",
                    "Set LEVERET_DIR (PHP: leveret.dir) to a folder of this user.",
                )])
            }
        };
        let known = known::find(&place.dir);
        let mut findings = folder::examine(&place, &known);
        findings.extend(arenas::examine(&place, &known));
        findings.extend(limits::examine(&known));
        findings.extend(service::examine());
        if !self.no_php {
            findings.extend(php::examine(self.php.as_deref(), &place, &known));
        }
        Ok(findings)
    }
}

fn print(out: &mut impl Write, findings: &[Finding]) -> io::Result<()> {
    for finding in findings {
        let (style, word) = match finding.level {
            Severity::Ok => (GOOD, "ok"),
            Severity::Note => (STRONG, "note"),
            Severity::Warning => (WARNING, "warning"),
            Severity::Problem => (BAD, "problem"),
        };
        writeln!(out, "{style}{word:<8}{style:#} {:<7} {}", finding.subject, shown(finding.found.as_bytes()))?;
        if !finding.means.is_empty() {
            writeln!(out, "         {FAINT}means{FAINT:#}   {}", shown(finding.means.as_bytes()))?;
        }
        if let Some(fix) = &finding.fix {
            writeln!(out, "         {FAINT}fix{FAINT:#}     {}", shown(fix.as_bytes()))?;
        }
    }
    let count = |level, noun| counted(findings.iter().filter(|finding| finding.level == level).count() as u64, noun);
    writeln!(
        out,
        "{}, {}, {}",
        count(Severity::Problem, "problem"),
        count(Severity::Warning, "warning"),
        count(Severity::Note, "note")
    )
}
