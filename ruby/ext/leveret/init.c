/* init.c: what `require "leveret/leveret"` runs. */
#include "base.h"
#include <ruby/ractor.h>

VALUE rb_mLeveret;

RUBY_FUNC_EXPORTED void Init_leveret(void)
{
	/* Each Ractor has Cache objects of its own, and nothing else here is written after this function. */
	rb_ext_ractor_safe(true);
	leveret_declare(LEVERET_PROGRAM_RUBY);
	rb_mLeveret = rb_define_module("Leveret");
	leveret_init_errors();
	leveret_init_value();
	leveret_init_cache();
	leveret_init_pool();
}
