/* threads: runs a PHP script in many threads of one process at the same time, as a threaded web server does.
 *
 *   threads PHP.INI SAPI SCRIPT THREADS REQUESTS
 *
 * There are always THREADS threads, and each serves REQUESTS requests. Half of them end after each request, and a new one takes their
 * place, so that threads begin and end while others work. At last the main thread runs the script alone. A script sees the number of
 * its thread and of its request in $argv, and both as -1 in that last run. Ends with 0 if each run did.
 */
#include <sapi/embed/php_embed.h>

#include <pthread.h>

#define THREADS_MAX 64

static char *script;
static int requests;
static int failures;

static bool run_script(int thread, int request)
{
	char numbers[2][16], *arguments[] = { script, numbers[0], numbers[1], NULL };
	snprintf(numbers[0], sizeof(numbers[0]), "%d", thread);
	snprintf(numbers[1], sizeof(numbers[1]), "%d", request);
	SG(request_info).argc = 3;
	SG(request_info).argv = arguments;
	SG(request_info).no_headers = 1;
	SG(headers_sent) = 1;
	if (php_request_startup() == FAILURE) {
		return false;
	}
	zend_file_handle file;
	zend_stream_init_filename(&file, script);
	php_execute_script(&file);
	bool is_done = EG(exit_status) == 0;
	zend_destroy_file_handle(&file);
	php_request_shutdown(NULL);
	return is_done;
}

static void judge(bool is_done, int thread, int request)
{
	if (!is_done) {
		fprintf(stderr, "thread %d failed in request %d\n", thread, request);
		__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
	}
}

typedef struct span {
	int thread, first, last;
} span;

/* One thread of the operating system, from its first request to its last. */
static void *serve(void *argument)
{
	const span *of = argument;
	(void) ts_resource(0);
	for (int request = of->first; request <= of->last; request++) {
		judge(run_script(of->thread, request), of->thread, request);
	}
	/* One thread ends without cleanup, as those of Apache's worker MPM do: its memory is freed when the process ends. */
	if (of->thread > 0) {
		ts_free_thread();
	}
	return NULL;
}

static void *serve_by_one_thread_each(void *argument)
{
	const span *of = argument;
	for (int request = of->first; request <= of->last; request++) {
		pthread_t child;
		span one = { of->thread, request, request };
		if (pthread_create(&child, NULL, serve, &one) != 0 || pthread_join(child, NULL) != 0) {
			judge(false, of->thread, request);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc == 6 ? atoi(argv[4]) : 0;
	requests = argc == 6 ? atoi(argv[5]) : 0;
	if (threads < 1 || threads > THREADS_MAX || requests < 1) {
		fprintf(stderr, "threads PHP.INI SAPI SCRIPT THREADS REQUESTS: up to %d threads\n", THREADS_MAX);
		return 2;
	}
	php_embed_module.php_ini_path_override = argv[1];
	php_embed_module.name = argv[2];
	script = realpath(argv[3], NULL);   /* each thread has a working folder of its own */
	if (!script) {
		perror(argv[3]);
		return 2;
	}
	if (php_embed_init(0, NULL) == FAILURE) {
		return 2;
	}
	php_request_shutdown(NULL);   /* php_embed_init() has begun one */

	pthread_t running[THREADS_MAX];
	span spans[THREADS_MAX];
	for (int thread = 0; thread < threads; thread++) {
		spans[thread] = (span) { thread, 0, requests - 1 };
		if (pthread_create(&running[thread], NULL, thread % 2 ? serve_by_one_thread_each : serve, &spans[thread]) != 0) {
			perror("pthread_create");
			return 2;
		}
	}
	for (int thread = 0; thread < threads; thread++) {
		pthread_join(running[thread], NULL);
	}
	judge(run_script(-1, -1), -1, -1);

	php_request_startup();   /* php_embed_shutdown() ends one */
	php_embed_shutdown();
	return failures ? 1 : 0;
}
