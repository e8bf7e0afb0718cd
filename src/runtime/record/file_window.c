/* From blocks to the trace file, through the windows of trace/session.h. */
#include "runtime/self.h"

#include <errno.h>
#include <string.h>

#include "runtime/sys.h"
#include "trace/format.h"

/* Yields of the processor, about a minute of them, after which the thread that should fill a window is taken to be gone: better no
 * trace than no program. */
#define WAITS_MOST 400000u

/* The first byte of window number w that blocks may use. */
static uint32_t first_of(uint64_t w)
{
	return w ? 0 : NORN_HEADER_BYTES;
}

/* The window is full; no thread touches it until its place is opened again. */
static void write_out(struct norn_session *session, struct norn_window *window, uint64_t w)
{
	char *memory = norn_session_window(session, (uint32_t)(w % NORN_WINDOWS));
	uint32_t first = first_of(w);
	int error = norn_session_write(memory + first, NORN_WINDOW_BYTES - first, w * NORN_WINDOW_BYTES + first);
	int32_t none = 0;
	if (error) {
		atomic_compare_exchange_strong(&session->failed, &none, -error);
		return;
	}
	/* In this order: the recorder writes what is filled, and takes the contents of a place that no thread came to fill for a
	 * block. */
	atomic_store(&window->filled, 0);
	memset(memory, 0, NORN_WINDOW_BYTES);
	atomic_store(&window->records, 0);
	atomic_store_explicit(&window->turn, 1 + w + NORN_WINDOWS, memory_order_release); /* pairs with await */
}

/* Waits until window number w is open. There is no circle: the threads that fill the one that is there have reserved earlier. */
static bool await(struct norn_session *session, struct norn_window *window, uint64_t w)
{
	for (unsigned waits = 0; atomic_load_explicit(&window->turn, memory_order_acquire) != 1 + w; waits++) {
		if (atomic_load(&window->direct))
			return true;
		if (atomic_load(&session->failed) || waits == WAITS_MOST)
			return false;
		norn_sys_yield(waits);
	}
	return true;
}

/* bytes do not reach beyond the window of offset. */
static int put(struct norn_session *session, const void *from, size_t bytes, uint64_t offset, uint32_t records)
{
	uint64_t w = offset / NORN_WINDOW_BYTES;
	uint32_t at = (uint32_t)(offset % NORN_WINDOW_BYTES), place = (uint32_t)(w % NORN_WINDOWS), first = first_of(w);
	struct norn_window *window = &session->window[place];
	if (w < NORN_WINDOWS && at == first) {
		if (norn_session_reserve_window(place))
			atomic_store(&window->direct, 1);
		else
			atomic_store_explicit(&window->turn, 1 + w, memory_order_release);
	}
	if (!await(session, window, w))
		return -EIO;
	if (atomic_load(&window->direct))
		return norn_session_write(from, bytes, offset);
	memcpy(norn_session_window(session, place) + at, from, bytes);
	atomic_fetch_add_explicit(&window->records, records, memory_order_relaxed);
	if (atomic_fetch_add(&window->filled, (uint32_t)bytes) + bytes == NORN_WINDOW_BYTES - first)
		write_out(session, window, w);
	return 0;
}

int norn_window_put(const void *from, size_t bytes, uint64_t offset, uint32_t records)
{
	const char *p = from;
	while (bytes) {
		size_t room = NORN_WINDOW_BYTES - offset % NORN_WINDOW_BYTES, n = bytes < room ? bytes : room;
		int error = put(norn_session, p, n, offset, n == bytes ? records : 0);
		if (error)
			return error;
		p += n;
		offset += n;
		bytes -= n;
	}
	return 0;
}
