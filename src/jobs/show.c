#include "jobs/show.h"

#include <inttypes.h>
#include <string.h>

#define BYTES_SHOWN 16u

static void show_float(FILE *to, uint64_t value, uint64_t size)
{
	float narrow;
	double wide;
	uint32_t low = (uint32_t)value;
	if (size == 4) {
		memcpy(&narrow, &low, sizeof narrow);
		fprintf(to, "%.9g", narrow);
	} else {
		memcpy(&wide, &value, sizeof wide);
		fprintf(to, "%.17g", wide);
	}
}

static void show_bytes(FILE *to, const uint8_t *data, uint64_t size)
{
	for (uint64_t i = 0; i < size && i < BYTES_SHOWN; i++)
		fprintf(to, "%02x%s", data[i], i % 4 == 3 && i + 1 < size && i + 1 < BYTES_SHOWN ? " " : "");
	fprintf(to, "%s (%" PRIu64 " bytes)", size > BYTES_SHOWN ? "..." : "", size);
}

void norn_show_value(FILE *to, const struct norn_event *event, const struct norn_site_info *site)
{
	unsigned flags = site->site && event->kind != NORN_EVENT_EXTERNAL && !event->pieces ? site->site->flags : 0;
	if (!event->known) {
		fputc('?', to);
	} else if (event->data) {
		show_bytes(to, event->data, event->size);
	} else if (flags & NORN_SITE_POINTER || event->kind == NORN_EVENT_EXTERNAL) {
		fprintf(to, "0x%" PRIx64, event->value);
	} else if (flags & NORN_SITE_FLOAT && (event->size == 4 || event->size == 8)) {
		show_float(to, event->value, event->size);
	} else if (flags & NORN_SITE_SIGNED) {
		unsigned unused = event->size < 8 ? 64 - 8 * (unsigned)event->size : 0;
		fprintf(to, "%" PRId64, (int64_t)(event->value << unused) >> unused);
	} else {
		fprintf(to, "%" PRIu64, event->value);
	}
}

void norn_show_position(FILE *to, const struct norn_site_info *site)
{
	if (*site->file && site->line)
		fprintf(to, "%s:%u", site->file, site->line);
	else if (*site->file)
		fputs(site->file, to);
	else if (*site->module)
		fprintf(to, "in %s", site->module);
	uint32_t frame = site->site ? site->site->inlined_at : 0;
	const char *function, *file;
	unsigned line;
	while (frame && norn_trace_frame(site, &frame, &function, &file, &line))
		fprintf(to, " in %s %s:%u", function, file, line);
}

/* A wait on a condition also gives up and takes its mutex, which is not the call's first argument. */
static bool is_waits_mutex(const struct norn_event *event, const struct norn_site_info *site)
{
	bool of_lock = event->op == NORN_SYNC_ACQUIRE || event->op == NORN_SYNC_RELEASE;
	return of_lock && (strncmp(site->name, "pthread_cond_", 13) == 0 || strncmp(site->name, "cnd_", 4) == 0);
}

const char *norn_show_lock_name(const struct norn_event *event, const struct norn_site_info *site)
{
	bool call = site->site && site->site->kind == NORN_SITE_CALL;
	bool io = event->op == NORN_SYNC_SEND || event->op == NORN_SYNC_RECEIVE; /* the object is the runtime's own */
	return call && !io && !is_waits_mutex(event, site) ? site->field : "";
}
