/* value_plain.c: which values JSON and the compact form can say faithfully: those of Ruby's own classes, without instance
 * variables, and text that is UTF-8.
 */
#include "value.h"

bool plain_text(VALUE string)
{
	int encoding = rb_enc_get_index(string);
	return RBASIC_CLASS(string) == rb_cString && !FL_TEST_RAW(string, FL_EXIVAR)
		&& (encoding == rb_utf8_encindex() || encoding == rb_usascii_encindex())
		&& rb_enc_str_coderange(string) != ENC_CODERANGE_BROKEN;
}

bool plain_array(VALUE array)
{
	return RBASIC_CLASS(array) == rb_cArray && !FL_TEST_RAW(array, FL_EXIVAR);
}

/* A default, or keys that are compared by identity. */
static bool hash_has_extras(VALUE hash)
{
	return RTEST(rb_funcall(hash, rb_intern("default_proc"), 0)) || !NIL_P(rb_funcall(hash, rb_intern("default"), 0))
		|| RTEST(rb_funcall(hash, rb_intern("compare_by_identity?"), 0));
}

bool plain_hash(VALUE hash)
{
	return RBASIC_CLASS(hash) == rb_cHash && !FL_TEST_RAW(hash, FL_EXIVAR) && !hash_has_extras(hash);
}
