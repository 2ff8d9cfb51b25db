//! `leveret settings`: a server's settings at its start.
use crate::output::CommandResult;
use crate::peer::Reach;
use crate::tables;
use crate::target::TargetArgs;
use clap::Args;

/// Show a server's settings, in the format of 'memcached-tool settings'
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct SettingsArgs {
    #[command(flatten)]
    reach: Reach,
}

const EXAMPLES: &str = "\
Examples:
  leveret settings localhost
  leveret settings /run/memcached.sock --json | jq .maxconns
  leveret settings                          a server's defaults for this arena";

impl SettingsArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        tables::SETTINGS.run(&self.reach, target, json)
    }
}
