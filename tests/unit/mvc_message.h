/* The message of algorithm A for the observer: a thread's last event, which was relevant, with its clock. */
#include "base/must.h"
#include "causality/computation.h"
#include "causality/mvc.h"

static inline int mvc_message(
        const struct norn_mvc *mvc, uint32_t thread, uint32_t payload, struct norn_computation_builder *builder)
{
	uint32_t width, threads = thread + 1;
	const uint32_t *clock = norn_mvc_clock(mvc, thread, &width);
	for (uint32_t column = 0; column < width; column++)
		if (norn_mvc_column_thread(mvc, column) >= threads)
			threads = norn_mvc_column_thread(mvc, column) + 1;
	uint32_t *message = norn_must_calloc(threads, sizeof *message);
	for (uint32_t column = 0; column < width; column++)
		message[norn_mvc_column_thread(mvc, column)] = clock[column];
	int r = norn_computation_add(builder, thread, message, threads, payload);
	free(message);
	return r;
}
