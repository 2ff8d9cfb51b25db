//! Commands on the bits of a string.
use super::row::{row, BEHIND_FIRST, DENY_OOM, FAST, GATE, ONE, READONLY, WRITE};
use crate::command::CommandGroup::Bitmap;
use crate::command::CommandRow;
use crate::command::Handler::Here;
use crate::commands::{bitfield, bitop, bits};

#[rustfmt::skip]
pub(super) const ROWS: &[CommandRow] = &[
    row("bitcount", -2, &[READONLY], ONE, "bitmap", "2.6.0", Bitmap, Here(bits::bitcount), "Counts the bits that are set."),
    row("bitfield", -2, &[WRITE, DENY_OOM], ONE, "bitmap", "3.2.0", Bitmap, Here(bitfield::bitfield), "Reads and changes numbers of any width in a value."),
    row("bitfield_ro", -2, &[READONLY, FAST], ONE, "bitmap", "6.0.0", Bitmap, Here(bitfield::bitfield_ro), "Reads numbers of any width in a value."),
    row("bitop", -4, &[WRITE, DENY_OOM, GATE], BEHIND_FIRST, "bitmap", "2.6.0", Bitmap, Here(bitop::bitop), "Combines values bit by bit, and stores the result."),
    row("bitpos", -3, &[READONLY], ONE, "bitmap", "2.8.7", Bitmap, Here(bits::bitpos), "Finds the first bit that is set, or not."),
    row("getbit", 3, &[READONLY, FAST], ONE, "bitmap", "2.2.0", Bitmap, Here(bits::getbit), "Reads one bit."),
    row("setbit", 4, &[WRITE, DENY_OOM], ONE, "bitmap", "2.2.0", Bitmap, Here(bits::setbit), "Sets one bit."),
];
