/*
 * Counts the notices, warnings and deprecations that PHP raises, in containers of the pass that --count=php adds, and in no
 * others.
 *
 * PHP notifies observers of an error before it looks at error_reporting, `@` and error handlers. So each one counts,
 * whatever the app does with it.
 *
 * The extension calls count.php at the end of each request. A shutdown function of the app that calls exit() cannot prevent that.
 */
#include "php.h"
#include "zend_observer.h"

enum { NOTICES, WARNINGS, DEPRECATIONS, KINDS };

/* In a PHP with threads, each thread has its own. */
ZEND_TLS zend_long raised[KINDS];

static void count_error(int type, zend_string *file, uint32_t line, zend_string *message)
{
	if (type & (E_NOTICE | E_USER_NOTICE)) {
		raised[NOTICES]++;
	} else if (type & (E_DEPRECATED | E_USER_DEPRECATED)) {
		raised[DEPRECATIONS]++;
	} else if (type & (E_WARNING | E_USER_WARNING | E_CORE_WARNING | E_COMPILE_WARNING)) {
		/* Some constructors of PHP throw an exception instead of a warning. The app never gets a warning. */
		if (EG(error_handling) != EH_THROW) {
			raised[WARNINGS]++;
		}
	}
}

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_take_errors, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

/* PhpRuntimeBench\take_errors(): array{int, int, int}: notices, warnings and deprecations since the last call. */
ZEND_FUNCTION(take_errors)
{
	ZEND_PARSE_PARAMETERS_NONE();
	array_init_size(return_value, KINDS);
	for (int kind = 0; kind < KINDS; kind++) {
		add_next_index_long(return_value, raised[kind]);
		raised[kind] = 0;
	}
}

static const zend_function_entry functions[] = {
	ZEND_NS_FE("PhpRuntimeBench", take_errors, arginfo_take_errors)
	ZEND_FE_END
};

static PHP_MINIT_FUNCTION(bench_errors)
{
	zend_observer_error_register(count_error);
	return SUCCESS;
}

/* PHP calls this after shutdown functions, destructors and output buffers of the app. Its classes still exist. */
static PHP_RSHUTDOWN_FUNCTION(bench_errors)
{
	zend_function *end = zend_hash_str_find_ptr(EG(function_table), ZEND_STRL("phpruntimebench\\end_request"));
	if (end) {
		zend_try {
			zend_call_known_function(end, NULL, NULL, NULL, 0, NULL, NULL);
		} zend_end_try();
	}
	return SUCCESS;
}

static zend_module_entry bench_errors_module_entry = {
	STANDARD_MODULE_HEADER,
	"bench_errors",
	functions,
	PHP_MINIT(bench_errors),
	NULL,
	NULL,
	PHP_RSHUTDOWN(bench_errors),
	NULL,
	"1",
	STANDARD_MODULE_PROPERTIES
};

ZEND_GET_MODULE(bench_errors)
