//! `leveret sizes`: how many items there are of each size.
use crate::output::CommandResult;
use crate::peer::Reach;
use crate::tables;
use crate::target::TargetArgs;
use clap::Args;

/// Count the items of each size, in the format of 'memcached-tool sizes'
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct SizesArgs {
    #[command(flatten)]
    reach: Reach,
}

const EXAMPLES: &str = "\
Examples:
  leveret sizes
  leveret sizes localhost:11211

A server answers only if it was started with -o track_sizes, or after `stats sizes_enable`.";

impl SizesArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        tables::SIZES.run(&self.reach, target, json)
    }
}
