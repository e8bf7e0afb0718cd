/* Marks: the functions of norn.h that programs call. */
#include <string.h>

#define __NORN__ 1 /* the declarations, not the empty ones */
#include "norn.h"
#include "runtime/replay/replay.h"
#include "runtime/hooks.h"
#include "runtime/observe/observe.h"
#include "runtime/self.h"
#include "runtime/sys.h"
#include "runtime/watch/watch.h"
#include "trace/format.h"

#define PUBLIC __attribute__((visibility("default")))

/* Names are numbered by content. Entries are added under the lock and never change; readers see them through count. */
#define NAMES 16384u
#define NAME_BYTES 120u
struct name {
	uint32_t number, length;
	char text[NAME_BYTES];
};
static struct name *names; /* open addressing; a number of 0 is an empty entry */
static _Atomic(const struct name *) by_number[2 * NAMES];
static _Atomic uint32_t names_lock;
static uint32_t names_used;

static uint32_t hash_of(const char *text, size_t length)
{
	uint32_t h = 2166136261u;
	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h;
}

static void write_name(uint32_t number, uint32_t thread, const char *text, size_t length)
{
	char buffer[NAME_BYTES + 1] = {0};
	memcpy(buffer, text, length);
	struct norn_name_block head = {number, thread};
	norn_write_block(NORN_BLOCK_NAME, &head, sizeof head, buffer, length + 1);
}

static struct name *find(const char *text, size_t length)
{
	if (!names && !(names = norn_sys_memory(NAMES * sizeof *names)))
		return NULL;
	uint32_t i = hash_of(text, length) % NAMES;
	while (names[i].number && (names[i].length != length || memcmp(names[i].text, text, length) != 0))
		i = (i + 1) % NAMES;
	return &names[i];
}

/* The number of a name, 0 if there are too many. Longer names are cut. The caller is busy: no signal handler comes in between. */
static uint32_t number_of(const char *text)
{
	size_t length = strnlen(text, NAME_BYTES);
	for (unsigned waits = 0; atomic_exchange_explicit(&names_lock, 1, memory_order_acquire); waits++)
		norn_sys_yield(waits);
	struct name *name = find(text, length);
	if (name && !name->number && names_used < NAMES / 2) {
		names_used++;
		memcpy(name->text, text, length);
		name->length = (uint32_t)length;
		name->number = atomic_fetch_add(&norn_session->names, 1);
		if (name->number < 2 * NAMES)
			atomic_store(&by_number[name->number], name);
		write_name(name->number, NORN_NO_THREAD, text, length);
	}
	uint32_t number = name ? name->number : 0;
	atomic_store_explicit(&names_lock, 0, memory_order_release);
	return number;
}

const char *norn_name_text(uint32_t number, size_t *ret_length)
{
	const struct name *name = number < 2 * NAMES ? atomic_load(&by_number[number]) : NULL;
	*ret_length = name ? name->length : 0;
	return name ? name->text : NULL;
}

void norn_names_write(void)
{
	atomic_store(&names_lock, 0);
	uint32_t highest = 0;
	for (uint32_t i = 0; names && norn_session && i < NAMES; i++) {
		if (!names[i].number)
			continue;
		write_name(names[i].number, NORN_NO_THREAD, names[i].text, names[i].length);
		if (names[i].number > highest)
			highest = names[i].number;
	}
	if (norn_session)
		atomic_store(&norn_session->names, highest + 1);
}

static void mark(enum norn_mark_op op, const char *text, long long value)
{
	uint32_t site = __norn_call_site;
	if (norn_watching) {
		norn_watch_mark(op, text, value, site);
		return;
	}
	uint32_t step = norn_step_begin(NORN_OPERATION_MARK, site, NULL);
	struct norn_slot *self = norn_busy_or_attach();
	if (self)
		norn_log_mark(op, text ? number_of(text) : 0, (uint64_t)value, site);
	norn_idle(self);
	norn_step_end(step);
}

PUBLIC void norn_event(const char *name, long long value)
{
	mark(NORN_MARK_EVENT, name, value);
}

PUBLIC void norn_set(const char *name, long long value)
{
	mark(NORN_MARK_SET, name, value);
}

PUBLIC void norn_atomic_begin(const char *name)
{
	mark(NORN_MARK_ATOMIC_BEGIN, name, 0);
}

PUBLIC void norn_atomic_end(void)
{
	mark(NORN_MARK_ATOMIC_END, NULL, 0);
}

PUBLIC void norn_thread_name(const char *name)
{
	uint32_t site = __norn_call_site;
	struct norn_slot *self = norn_busy_or_attach();
	if (self && name && norn_watching) {
		norn_watch_name(name, strnlen(name, NAME_BYTES));
	} else if (self && name) {
		uint32_t number = atomic_fetch_add(&norn_session->names, 1);
		write_name(number, self->thread, name, strnlen(name, NAME_BYTES));
		norn_log_thread(NORN_THREAD_NAME, self->thread, number, site);
		if (norn_observing)
			norn_observe_name(self, name, strnlen(name, NAME_BYTES));
	}
	norn_idle(self);
}
