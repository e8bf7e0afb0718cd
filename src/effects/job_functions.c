#include "effects/job_functions.h"

#include <stddef.h>
#include <string.h>

#define NONE NORN_JOB_NONE

static const struct norn_job_function functions[] = {
        /* std::thread: (state, ) and (state, function that keeps libpthread linked) */
        {"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE", NONE, NONE, true, true},
        {"_ZNSt6thread15_M_start_threadESt10shared_ptrINS_10_Impl_baseEE", NONE, NONE, true, true},
        {"_ZNSt6thread15_M_start_threadESt10shared_ptrINS_10_Impl_baseEEPFvvE", NONE, NONE, true, true},
        /* GLib. A pool runs the jobs of its function at once, unless it has one thread at most. */
        {"g_thread_new", 1, NONE, .submits = true},
        {"g_thread_pool_new", 0, 2, .submits = true},
        {"g_thread_pool_new_full", 0, 3, .submits = true},
        {"g_thread_pool_push", NONE, NONE, .submits = true},
        {"g_thread_pool_set_max_threads", NONE, 1, .submits = true},
        {"g_thread_try_new", 1, NONE, .submits = true},
        /* libuv: one pool, whose threads all take from one queue. With one thread there is nothing to order. */
        {"uv_queue_work", 2, NONE, .submits = true},
};

const struct norn_job_function *norn_job_function_find(const char *name)
{
	for (size_t i = 0; name && i < sizeof functions / sizeof *functions; i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	return NULL;
}

#define CUT 239u /* characters: names that are as long are cut off (instrument/site/type_names.h) */

/* std::thread: libstdc++ deletes the state that it gave to the thread, whose function it has called first. */
bool norn_job_function_ends(const char *name, bool first)
{
	static const char state[] = "std::thread::_State_impl<", destructor[] = "::~_State_impl";
	size_t length = name ? strlen(name) : 0;
	if (length <= sizeof state + sizeof destructor || strncmp(name, state, sizeof state - 1) != 0)
		return false;
	return strcmp(name + length - (sizeof destructor - 1), destructor) == 0 || (length >= CUT && !first);
}
