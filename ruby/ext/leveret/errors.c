/* errors.c: one class for each kind of failure, all of them below Leveret::Error. */
#include "base.h"

VALUE rb_eLeveretError, rb_eLeveretArenaError;
static VALUE eKeyTooLong, eValueTooLarge, eNoRoom, eBusy, eNotAnInteger, eUnmarshal;

/* A key as it may stand in a message: any bytes, of any length. */
static VALUE printable(VALUE key)
{
	VALUE text = rb_str_inspect(key);
	return RSTRING_LEN(text) > 80 ? rb_str_cat_cstr(rb_str_substr(text, 0, 60), "...\"") : text;
}

void leveret_raise(leveret_status status, const leveret_arena *arena, VALUE key, size_t len)
{
	VALUE name = printable(key);
	switch (status) {
		case LEVERET_KEY_TOO_LONG:
			rb_raise(eKeyTooLong,
				"The key %" PRIsVALUE " is %ld bytes long and this arena takes %" PRIu64
				": use a shorter one, such as a hash of it",
				name, RSTRING_LEN(key), leveret_key_max(arena));
		case LEVERET_TOO_LARGE:
			rb_raise(eValueTooLarge,
				"The value of %" PRIsVALUE " takes %zu bytes and this arena takes %" PRIu64
				" for one value: store it in parts, or use a larger arena (memory: sizes new ones)",
				name, len, leveret_value_max(arena));
		case LEVERET_NO_MEMORY:
			rb_raise(eNoRoom,
				"No room for the %zu bytes of %" PRIsVALUE " could be made in an arena of %" PRIu64
				" bytes, because other processes are writing there: try again, or use a larger arena (memory: sizes new ones)",
				len, name, leveret_memory(arena));
		case LEVERET_BUSY:
			rb_raise(eBusy,
				"Another process has held the lock of the part of the arena that %" PRIsVALUE
				" belongs to for longer than lock_timeout, so nothing was changed: try again, and if it stays so look for a stopped process",
				name);
		case LEVERET_NOT_NUMBER:
			rb_raise(eNotAnInteger,
				"The value of %" PRIsVALUE " is no integer, so it cannot be counted: set an integer first", name);
		case LEVERET_FAILED:
			rb_raise(rb_eLeveretArenaError,
				"This process could not enter itself in the arena's table of processes, so it cannot write: "
				"too many processes use this arena, or its file system has no file locks");
		case LEVERET_LOST:
			rb_raise(rb_eLeveretArenaError, "The arena's file was removed or replaced again and again");
		default:
			rb_raise(rb_eLeveretError,
				"The arena gave the answer %d for %" PRIsVALUE ", which this version does not know", (int) status,
				name);
	}
}

/*
 * Document-class: Leveret::Error
 * What prevents an operation of a Leveret::Cache: the parent of all that it raises of its own.
 */
/*
 * Document-class: Leveret::ArenaError
 * The arena cannot be opened, read or written: its message says why, as the folder's permissions, or a file that is
 * gone.
 */
/*
 * Document-class: Leveret::KeyTooLongError
 * The key has more bytes than the arena takes (+stats[:key_max]+): a quarter of a segment, at most 65,535.
 */
/*
 * Document-class: Leveret::ValueTooLargeError
 * The value takes more bytes than the arena takes for one (+stats[:value_max]+): an eighth of its memory. An item that
 * Cache#set was to replace is gone.
 */
/*
 * Document-class: Leveret::NoRoomError
 * No room could be made, because other processes are writing there. It may succeed when it is tried again.
 */
/*
 * Document-class: Leveret::BusyError
 * A living process has held a lock for longer than +lock_timeout+. Nothing was changed; it may succeed when it is tried
 * again.
 */
/*
 * Document-class: Leveret::NotAnIntegerError
 * What is to be counted is no integer.
 */
/*
 * Document-class: Leveret::UnmarshalError
 * Marshal data is damaged, or names a class that is not there or not allowed. A Leveret::Cache warns, and answers a
 * miss instead.
 */

void leveret_init_errors(void)
{
	rb_eLeveretError = rb_define_class_under(rb_mLeveret, "Error", rb_eStandardError);
	rb_eLeveretArenaError = rb_define_class_under(rb_mLeveret, "ArenaError", rb_eLeveretError);
	eKeyTooLong = rb_define_class_under(rb_mLeveret, "KeyTooLongError", rb_eLeveretError);
	eValueTooLarge = rb_define_class_under(rb_mLeveret, "ValueTooLargeError", rb_eLeveretError);
	eNoRoom = rb_define_class_under(rb_mLeveret, "NoRoomError", rb_eLeveretError);
	eBusy = rb_define_class_under(rb_mLeveret, "BusyError", rb_eLeveretError);
	eNotAnInteger = rb_define_class_under(rb_mLeveret, "NotAnIntegerError", rb_eLeveretError);
	eUnmarshal = rb_define_class_under(rb_mLeveret, "UnmarshalError", rb_eLeveretError);
}
