/* Fuzzing RAPID's text: any text is refused with a sentence or becomes a trace that holds together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/rapid.h"
#include "trace/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void object(void *arg, const char *sentence)
{
	fprintf(stderr, "%s\n", sentence);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	struct norn_rapid_import imported;
	struct norn_error err = {0};
	struct norn_trace *trace;
	struct norn_verify_result verdict;
	if (!path[0])
		snprintf(path, sizeof path, "%s/norn-fuzz-%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", getpid());
	if (size == 0)
		return 0;
	FILE *from = fmemopen((void *)(uintptr_t)data, size, "r");
	int r = norn_rapid_import(from, "input", path, &imported, &err);
	fclose(from);
	if (r != 0) {
		if (!err.message[0] || access(path, F_OK) == 0)
			abort();
		return 0;
	}
	if (norn_trace_open(path, false, &trace, &err) != 0)
		object(NULL, err.message);
	if (norn_verify(trace, 1, object, NULL, &verdict, &err) != 0)
		object(NULL, err.message);
	norn_trace_close(trace);
	unlink(path);
	return 0;
}
