#include "run/rapid.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/must.h"
#include "trace/merge.h"
#include "trace/record.h"

struct exporter {
	struct norn_trace *trace;
	FILE *to;
	bool imported; /* from RAPID text: names and locations are those of the text */
	struct norn_map borders; /* word number to a bit mask of the bytes at which some access begins or ends within it */
	struct norn_rapid_export *result;
};

/* ---- which bytes are always accessed together ---- */

static void border(struct exporter *ex, uint64_t addr)
{
	if (addr % 8)
		*(uint8_t *)norn_must_map_put(&ex->borders, addr / 8) |= (uint8_t)(1u << addr % 8);
}

static int borders_of_thread(struct exporter *ex, uint32_t thread, struct norn_error *err)
{
	struct norn_cursor *cursor;
	int r = norn_cursor_new(ex->trace, thread, &cursor);
	if (r != 0)
		return r;
	const uint64_t *record;
	unsigned units;
	while ((r = norn_cursor_next(cursor, &record, &units, err)) == 1) {
		uint64_t addr = norn_record_addr(record[0]), size;
		unsigned tag = norn_record_tag(record[0]);
		if (tag == NORN_TAG_RANGE)
			size = record[1] >> 32;
		else if (tag == NORN_TAG_READ || tag == NORN_TAG_WRITE || tag == NORN_TAG_RMW)
			size = UINT64_C(1) << norn_record_sub(record[0]);
		else
			continue;
		border(ex, addr);
		border(ex, addr + size);
	}
	norn_cursor_free(cursor);
	return r;
}

static int all_borders(struct exporter *ex, struct norn_error *err)
{
	int r = 0;
	for (uint32_t i = 0; r == 0 && !ex->imported && i < norn_trace_threads(ex->trace); i++)
		r = borders_of_thread(ex, i, err);
	return r;
}

/* ---- lines ---- */

static void thread_token(const struct exporter *ex, uint32_t thread, char *to, size_t room)
{
	const char *name =
	        ex->imported && thread < norn_trace_threads(ex->trace) ? norn_trace_thread(ex->trace, thread)->name : NULL;
	if (name)
		snprintf(to, room, "%s", name);
	else
		snprintf(to, room, "T%u", thread);
}

static void put_line(struct exporter *ex, const struct norn_event *e, const char *op, const char *target)
{
	char thread[300];
	struct norn_site_info info;
	thread_token(ex, e->thread, thread, sizeof thread);
	norn_trace_site(ex->trace, e->site, &info);
	fprintf(ex->to, "%s|%s(%s)|", thread, op, target);
	if (!ex->imported)
		fprintf(ex->to, "%u\n", info.site ? e->site - NORN_SITE_FIRST : 0);
	else if (*info.function)
		fprintf(ex->to, "%s\n", info.function);
	else
		fprintf(ex->to, "%u\n", info.line);
	ex->result->lines++;
}

static void put_access(struct exporter *ex, const struct norn_event *e, const char *op)
{
	if (ex->imported) {
		struct norn_site_info info;
		norn_trace_site(ex->trace, e->site, &info);
		put_line(ex, e, op, info.name);
		return;
	}
	for (uint64_t at = e->addr, end = e->addr + e->size; at < end;) {
		const uint8_t *mask = norn_map_get(&ex->borders, at / 8);
		uint64_t next = at + 1;
		while (next < end && next % 8 && !(mask && *mask >> next % 8 & 1))
			next++;
		char target[32];
		snprintf(target, sizeof target, "V%" PRIx64, at);
		put_line(ex, e, op, target);
		at = next;
	}
}

static void put_lock(struct exporter *ex, const struct norn_event *e, const char *op)
{
	char target[32];
	struct norn_site_info info;
	norn_trace_site(ex->trace, e->site, &info);
	snprintf(target, sizeof target, "L%" PRIx64, e->addr);
	put_line(ex, e, op, ex->imported ? info.name : target);
}

static void put_thread(struct exporter *ex, const struct norn_event *e, const char *op)
{
	char target[300];
	if (ex->imported && e->site < NORN_SITE_FIRST)
		return; /* a begin or end that the text did not have */
	thread_token(ex, (uint32_t)e->value, target, sizeof target);
	put_line(ex, e, op, target);
}

static void put_transaction(struct exporter *ex, const struct norn_event *e)
{
	bool begins = e->op == NORN_MARK_ATOMIC_BEGIN;
	put_line(ex, e, begins ? "begin" : "end", norn_trace_name(ex->trace, begins ? (uint32_t)e->argument : 0));
}

static const char *sync_op(const struct norn_event *e)
{
	return e->op == NORN_SYNC_ACQUIRE ? "acq" : e->op == NORN_SYNC_RELEASE ? "rel" : NULL;
}

static const char *thread_op(const struct norn_event *e)
{
	switch (e->op) {
	case NORN_THREAD_FORK:
		return "fork";
	case NORN_THREAD_JOIN:
		return "join";
	case NORN_THREAD_BEGIN:
		return "begin";
	case NORN_THREAD_END:
		return "end";
	default:
		return NULL;
	}
}

static void put_event(struct exporter *ex, const struct norn_event *e)
{
	if (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW)
		put_access(ex, e, "r");
	if (e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW)
		put_access(ex, e, "w");
	else if (e->kind == NORN_EVENT_SYNC && sync_op(e))
		put_lock(ex, e, sync_op(e));
	else if (e->kind == NORN_EVENT_THREAD && thread_op(e))
		put_thread(ex, e, thread_op(e));
	else if (e->kind == NORN_EVENT_MARK && (e->op == NORN_MARK_ATOMIC_BEGIN || e->op == NORN_MARK_ATOMIC_END))
		put_transaction(ex, e);
	else if (e->kind != NORN_EVENT_READ)
		ex->result->left_out[e->kind]++;
}

static int put_all(struct exporter *ex, struct norn_error *err)
{
	struct norn_merge *merge = norn_merge_new(ex->trace, NORN_MERGE_PATIENCE);
	struct norn_event event;
	int r;
	while ((r = norn_merge_next(merge, &event, err)) == 1)
		put_event(ex, &event);
	norn_merge_free(merge);
	if (r == 0 && (fflush(ex->to) != 0 || ferror(ex->to)))
		r = norn_error_set(err, -EIO, "the text cannot be written: %s", strerror(errno));
	return r;
}

int norn_rapid_export(struct norn_trace *trace, FILE *to, struct norn_rapid_export *ret_export, struct norn_error *err)
{
	const char *source = norn_trace_info(trace, "source");
	struct exporter ex = {.trace = trace, .to = to, .imported = source && strcmp(source, "rapid") == 0, .result = ret_export};
	*ret_export = (struct norn_rapid_export){0};
	norn_map_init(&ex.borders, sizeof(uint8_t));
	int r = all_borders(&ex, err);
	if (r == 0)
		r = put_all(&ex, err);
	norn_map_done(&ex.borders);
	return r;
}
