#include "trace_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "records.h"
#include "trace/site.h"

#define SITE NORN_SITE_FIRST

static unsigned log2_of(unsigned size)
{
	return (unsigned)__builtin_ctz(size);
}

/* Writes to w or, if that is NULL, appends to a thread of run. */
static void run_put(struct run *run, uint32_t thread, const uint64_t *record, unsigned units)
{
	if (run->used[thread] + units > run->room[thread]) {
		run->room[thread] = (run->room[thread] + units) * 2;
		run->units[thread] = realloc(run->units[thread], run->room[thread] * sizeof **run->units);
	}
	unsigned n = run->records[thread]++;
	if ((n & (n - 1)) == 0)
		run->starts[thread] = realloc(run->starts[thread], (n ? 2 * n : 1) * sizeof **run->starts);
	run->starts[thread][n] = run->used[thread];
	memcpy(&run->units[thread][run->used[thread]], record, units * sizeof *record);
	run->used[thread] += units;
}

void put_time(struct norn_writer *w, uint32_t thread, uint64_t ticks)
{
	norn_writer_record(w, thread, &(uint64_t){ticks << 8 | NORN_TAG_TIME}, 1);
}

void put_read(struct norn_writer *w, uint32_t thread, uint64_t addr, unsigned size, uint32_t version)
{
	uint64_t r[] = {addr << 16 | log2_of(size) << 4 | NORN_TAG_READ, (uint64_t)version << 32 | SITE};
	norn_writer_record(w, thread, r, 2);
}

void put_write(struct norn_writer *w, uint32_t thread, uint64_t addr, unsigned size, uint32_t version, uint64_t value)
{
	uint64_t r[] = {addr << 16 | log2_of(size) << 4 | NORN_TAG_WRITE, (uint64_t)version << 32 | SITE, value};
	norn_writer_record(w, thread, r, 3);
}

void put_rmw(struct norn_writer *w, uint32_t thread, uint64_t addr, unsigned size, uint32_t version, uint64_t value)
{
	uint64_t r[] = {addr << 16 | log2_of(size) << 4 | NORN_TAG_RMW, (uint64_t)version << 32 | SITE, value};
	norn_writer_record(w, thread, r, 3);
}

void put_external(struct norn_writer *w, uint32_t thread, uint64_t addr, uint32_t version, uint64_t value)
{
	uint64_t r[] = {addr << 16 | NORN_TAG_EXT, (uint64_t)version << 32 | SITE, value};
	norn_writer_record(w, thread, r, 3);
}

void put_sync(struct norn_writer *w, uint32_t thread, enum norn_sync_op op, uint64_t addr, uint32_t version, uint64_t argument)
{
	uint64_t r[] = {addr << 16 | (unsigned)op << 4 | NORN_TAG_SYNC, (uint64_t)version << 32 | SITE, argument};
	norn_writer_record(w, thread, r, 3);
}

void put_thread(struct norn_writer *w, uint32_t thread, enum norn_thread_op op, uint32_t other, uint64_t argument)
{
	uint64_t r[] = {(unsigned)op << 4 | NORN_TAG_THREAD, (uint64_t)other << 32 | SITE, argument};
	norn_writer_record(w, thread, r, 3);
}

void put_enter(struct norn_writer *w, uint32_t thread, uint32_t site)
{
	norn_writer_record(w, thread, &(uint64_t){(uint64_t)site << 8 | NORN_TAG_ENTER}, 1);
}

void put_leave(struct norn_writer *w, uint32_t thread, uint32_t site)
{
	norn_writer_record(w, thread, &(uint64_t){(uint64_t)site << 8 | NORN_TAG_LEAVE}, 1);
}

void put_value(struct norn_writer *w, uint32_t thread, unsigned index, uint64_t value)
{
	uint64_t r[] = {index << 4 | NORN_TAG_VALUE, value};
	norn_writer_record(w, thread, r, 2);
}

void put_alloc(struct norn_writer *w, uint32_t thread, uint64_t addr, uint32_t version, uint64_t size)
{
	uint64_t r[] = {addr << 16 | NORN_ALLOC_MALLOC << 4 | NORN_TAG_ALLOC, (uint64_t)version << 32 | SITE, size};
	norn_writer_record(w, thread, r, 3);
}

void put_lost(struct norn_writer *w, uint32_t thread, uint64_t count)
{
	norn_writer_record(w, thread, &(uint64_t){count << 8 | NORN_TAG_LOST}, 1);
}

static unsigned make_range(uint64_t *r, enum norn_range_sub sub, uint64_t addr, unsigned bytes, const uint32_t *versions,
        const void *data, unsigned data_units)
{
	unsigned words = norn_range_words(addr, bytes), runs = 0;
	for (unsigned i = 0; i < words; i++) {
		if (i && versions[i] == versions[i - 1])
			r[2 + runs] += UINT64_C(1) << 32;
		else
			r[3 + runs++] = UINT64_C(1) << 32 | versions[i];
	}
	r[0] = addr << 16 | (unsigned)sub << 4 | NORN_TAG_RANGE;
	r[1] = (uint64_t)bytes << 32 | SITE;
	r[2] = (uint64_t)runs << 32 | data_units;
	memset(&r[3 + runs], 0, data_units * 8);
	if (data)
		memcpy(&r[3 + runs], data, sub == NORN_RANGE_WRITE ? bytes : sub == NORN_RANGE_SET ? 1 : 8);
	return 3 + runs + data_units;
}

void put_range(struct norn_writer *w, uint32_t thread, enum norn_range_sub sub, uint64_t addr, unsigned bytes,
        const uint32_t *versions, const void *data, unsigned data_units)
{
	uint64_t r[NORN_RECORD_UNITS_MAX];
	norn_writer_record(w, thread, r, make_range(r, sub, addr, bytes, versions, data, data_units));
}

void put_sites(struct norn_writer *w, unsigned count, const char *name, unsigned kind)
{
	char *strings = malloc(64 + count * 40);
	struct norn_site *sites = calloc(count, sizeof *sites);
	unsigned used = (unsigned)sprintf(strings, "%c%s", 0, "test.c") + 1;
	for (unsigned i = 0; i < count; i++) {
		sites[i] = (struct norn_site){.kind = (uint8_t)kind, .size = 8, .file = 1, .line = i + 1, .name = used};
		used += (unsigned)sprintf(strings + used, "%s%u", name, i) + 1;
	}
	struct norn_site_table table = {.magic = NORN_SITE_MAGIC,
	        .version = NORN_SITE_VERSION,
	        .level = NORN_INSTRUMENT_LEVEL_SHARED,
	        .sites = count,
	        .strings = used,
	        .source = 1};
	size_t bytes = sizeof table + count * sizeof *sites + used;
	char *blob = malloc(bytes);
	memcpy(blob, &table, sizeof table);
	memcpy(blob + sizeof table, sites, count * sizeof *sites);
	memcpy(blob + sizeof table + count * sizeof *sites, strings, used);
	norn_writer_module(w, NORN_SITE_FIRST, "/bin/test", (struct norn_site_table *)(void *)blob, bytes);
	free(blob);
	free(sites);
	free(strings);
}

void put_child(struct norn_writer *w, uint32_t parent, uint32_t child, uint32_t ordinal)
{
	norn_writer_thread(w, child, parent, ordinal);
	put_thread(w, parent, NORN_THREAD_FORK, child, 0);
	put_thread(w, child, NORN_THREAD_BEGIN, child, parent);
}

int finish_trace_as(struct norn_writer *w, int exit_status, uint64_t lost)
{
	struct norn_error err = {0};
	const struct norn_file_header header = {.tsc_hz = 1000000000u, .exit_status = exit_status, .lost_events = lost};
	int r = norn_writer_finish(w, &header, &err);
	if (r != 0)
		fprintf(stderr, "%s\n", err.message);
	norn_writer_free(w);
	return r;
}

int finish_trace(struct norn_writer *w)
{
	return finish_trace_as(w, 0, 0);
}

/* ---- the machine ---- */

#define BASE UINT64_C(0x1000)
#define LOCKS UINT64_C(0x80000)
#define LOCK_COUNT 2u
#define PRIVATE UINT64_C(0x100000)
#define WORDS_MAX 256u

struct machine {
	const struct run_options *o;
	struct run *run;
	uint64_t random;
	uint64_t step, stamp_every;
	uint64_t *stamped; /* per thread: tick of its last stamp, plus 1 */
	uint8_t memory[WORDS_MAX * 8];
	uint32_t versions[WORDS_MAX];
	uint32_t lock_version[LOCK_COUNT], holder[LOCK_COUNT]; /* 1 + thread */
	unsigned *depth;
	/* A range read that is under way: one word per step, since it is not indivisible. */
	struct reading {
		uint64_t addr;
		unsigned bytes, done;
		bool copy;
		uint32_t versions[16];
		uint8_t data[64];
	} *reading;
};

static uint64_t any(struct machine *m, uint64_t limit)
{
	return random_below(&m->random, limit);
}

static void put(struct machine *m, uint32_t t, const uint64_t *record, unsigned units)
{
	uint64_t tick = m->step / 16 + 1;
	if (m->o->stamps && m->stamped[t] != tick) {
		m->stamped[t] = tick;
		run_put(m->run, t, &(uint64_t){tick * 1000000 << 8 | NORN_TAG_TIME}, 1);
	}
	run_put(m->run, t, record, units);
}

static void saw(struct machine *m, uint32_t t, unsigned kind, uint64_t addr, uint64_t size, const void *data)
{
	struct run *run = m->run;
	unsigned n = run->seen_count[t]++;
	if ((n & (n - 1)) == 0)
		run->seen[t] = realloc(run->seen[t], (n ? 2 * n : 1) * sizeof **run->seen);
	struct seen *s = &run->seen[t][n];
	*s = (struct seen){.kind = (uint8_t)kind, .addr = addr, .size = size};
	memcpy(s->data, data, size);
}

static void thread_record(struct machine *m, uint32_t t, enum norn_thread_op op, uint32_t other, uint64_t argument)
{
	uint64_t r[] = {(unsigned)op << 4 | NORN_TAG_THREAD, (uint64_t)other << 32 | SITE, argument};
	put(m, t, r, 3);
}

static void scalar(struct machine *m, uint32_t t, unsigned tag)
{
	unsigned size = 1u << any(m, 4);
	uint64_t addr = BASE + any(m, m->o->words) * 8 + any(m, 8 / size) * size, word = (addr - BASE) / 8;
	uint8_t *at = &m->memory[addr - BASE];
	uint64_t value = random_next(&m->random);
	if (size < 8)
		value &= (UINT64_C(1) << size * 8) - 1;
	if (tag != NORN_TAG_READ) {
		m->versions[word]++;
		memcpy(at, &value, size);
	}
	uint64_t r[] = {addr << 16 | log2_of(size) << 4 | tag, (uint64_t)m->versions[word] << 32 | SITE, value};
	put(m, t, r, tag == NORN_TAG_READ ? 2 : 3);
	saw(m, t,
	        tag == NORN_TAG_READ    ? NORN_EVENT_READ
	        : tag == NORN_TAG_WRITE ? NORN_EVENT_WRITE
	                                : NORN_EVENT_RMW,
	        addr, size, at);
}

static void external(struct machine *m, uint32_t t, uint64_t word)
{
	uint64_t value = random_next(&m->random);
	memcpy(&m->memory[word * 8], &value, 8);
	uint64_t r[] = {(BASE + word * 8) << 16 | NORN_TAG_EXT, (uint64_t)++m->versions[word] << 32 | SITE, value};
	put(m, t, r, 3);
	saw(m, t, NORN_EVENT_EXTERNAL, BASE + word * 8, 8, &value);
}

static void pair(struct machine *m, uint32_t t)
{
	uint64_t word = any(m, m->o->words / 2) * 2, low = random_next(&m->random), high = random_next(&m->random);
	uint64_t r[5] = {(BASE + word * 8) << 16 | 4u << 4 | NORN_TAG_RMW, (uint64_t)++m->versions[word] << 32 | SITE, low, high,
	        ++m->versions[word + 1]};
	memcpy(&m->memory[word * 8], &r[2], 16);
	put(m, t, r, 5);
	saw(m, t, NORN_EVENT_RMW, BASE + word * 8, 16, &r[2]);
}

/* Writes data to addr as one range record. */
static void write_range(struct machine *m, uint32_t t, enum norn_range_sub sub, uint64_t addr, unsigned bytes, const uint8_t *data)
{
	uint64_t r[64];
	uint64_t word = (addr - BASE) / 8;
	unsigned words = norn_range_words(addr, bytes);
	for (unsigned i = 0; i < words; i++)
		m->versions[word + i]++;
	memcpy(&m->memory[addr - BASE], data, bytes);
	unsigned data_units = sub == NORN_RANGE_WRITE ? (bytes + 7) / 8 : sub == NORN_RANGE_SET ? 1 : 0;
	put(m, t, r, make_range(r, sub, addr, bytes, &m->versions[word], data_units ? data : NULL, data_units));
	saw(m, t, NORN_EVENT_WRITE, addr, bytes, data);
}

static uint64_t range_place(struct machine *m, unsigned bytes)
{
	return BASE + any(m, m->o->words * 8 - bytes + 1);
}

static void begin_reading(struct machine *m, uint32_t t)
{
	struct reading *r = &m->reading[t];
	unsigned limit = m->o->words * 8 < 60 ? m->o->words * 8 : 60;
	*r = (struct reading){.bytes = 1 + (unsigned)any(m, limit), .copy = any(m, 2)};
	r->addr = range_place(m, r->bytes);
}

static void go_on_reading(struct machine *m, uint32_t t)
{
	struct reading *r = &m->reading[t];
	uint64_t word = (r->addr - BASE) / 8 + r->done, begin = word * 8, end = begin + 8;
	if (begin < r->addr - BASE)
		begin = r->addr - BASE;
	if (end > r->addr - BASE + r->bytes)
		end = r->addr - BASE + r->bytes;
	if (any(m, 4) == 0)
		external(m, t, word);
	memcpy(&r->data[begin - (r->addr - BASE)], &m->memory[begin], end - begin);
	r->versions[r->done++] = m->versions[word];
	if (r->done < norn_range_words(r->addr, r->bytes))
		return;
	uint64_t record[64];
	put(m, t, record,
	        make_range(record, r->copy ? NORN_RANGE_COPY_FROM : NORN_RANGE_READ, r->addr, r->bytes, r->versions, NULL, 0));
	saw(m, t, NORN_EVENT_READ, r->addr, r->bytes, r->data);
	if (r->copy)
		write_range(m, t, NORN_RANGE_COPY_TO, range_place(m, r->bytes), r->bytes, r->data);
	r->bytes = 0;
}

static void lock_or_unlock(struct machine *m, uint32_t t)
{
	unsigned i = (unsigned)any(m, LOCK_COUNT), op;
	if (m->holder[i] == t + 1)
		op = NORN_SYNC_RELEASE;
	else if (!m->holder[i])
		op = NORN_SYNC_ACQUIRE;
	else
		return;
	m->holder[i] = op == NORN_SYNC_ACQUIRE ? t + 1 : 0;
	uint64_t r[] = {
	        (LOCKS + i * 64) << 16 | op << 4 | NORN_TAG_SYNC, (uint64_t)++m->lock_version[i] << 32 | SITE, NORN_LOCK_MUTEX};
	put(m, t, r, 3);
}

static void call(struct machine *m, uint32_t t)
{
	if (m->depth[t] && any(m, 2)) {
		uint64_t result[] = {NORN_VALUE_RESULT << 4 | NORN_TAG_VALUE, 7};
		put(m, t, result, 2);
		put(m, t, &(uint64_t){(uint64_t)(SITE + --m->depth[t]) << 8 | NORN_TAG_LEAVE}, 1);
	} else if (m->depth[t] < 8) {
		uint64_t argument[] = {NORN_TAG_VALUE, t};
		put(m, t, &(uint64_t){(uint64_t)(SITE + m->depth[t]++) << 8 | NORN_TAG_ENTER}, 1);
		put(m, t, argument, 2);
	}
}

static void act(struct machine *m, uint32_t t)
{
	uint8_t data[64];
	unsigned bytes = 1 + (unsigned)any(m, m->o->words * 8 < 60 ? m->o->words * 8 : 60);
	if (m->reading[t].bytes) {
		go_on_reading(m, t);
		return;
	}
	switch (any(m, m->o->simple ? 6 : 14)) {
	case 0:
	case 1:
	case 2:
		scalar(m, t, NORN_TAG_READ);
		break;
	case 3:
	case 4:
		scalar(m, t, NORN_TAG_WRITE);
		break;
	case 5:
		lock_or_unlock(m, t);
		break;
	case 6:
		scalar(m, t, NORN_TAG_RMW);
		break;
	case 7:
		external(m, t, any(m, m->o->words));
		break;
	case 8:
		pair(m, t);
		break;
	case 9:
		for (unsigned i = 0; i < sizeof data; i++)
			data[i] = (uint8_t)random_next(&m->random);
		write_range(m, t, NORN_RANGE_WRITE, range_place(m, bytes), bytes, data);
		break;
	case 10:
		memset(data, (int)any(m, 256), sizeof data);
		write_range(m, t, NORN_RANGE_SET, range_place(m, bytes), bytes, data);
		break;
	case 11:
		call(m, t);
		break;
	default:
		begin_reading(m, t);
	}
}

static void finish_thread(struct machine *m, uint32_t t)
{
	while (m->reading[t].bytes)
		go_on_reading(m, t);
	for (unsigned i = 0; i < LOCK_COUNT; i++)
		if (m->holder[i] == t + 1) {
			m->holder[i] = 0;
			uint64_t r[] = {(LOCKS + i * 64) << 16 | NORN_SYNC_RELEASE << 4 | NORN_TAG_SYNC,
			        (uint64_t)++m->lock_version[i] << 32 | SITE, NORN_LOCK_MUTEX};
			put(m, t, r, 3);
		}
	while (m->depth[t])
		put(m, t, &(uint64_t){(uint64_t)(SITE + --m->depth[t]) << 8 | NORN_TAG_LEAVE}, 1);
	if (t)
		thread_record(m, t, NORN_THREAD_END, t, 0);
}

void run_simulate(const struct run_options *options, struct run *ret_run)
{
	uint32_t threads = options->threads + 1;
	struct machine m = {.o = options, .run = ret_run, .random = options->seed * 2 + 1};
	*ret_run = (struct run){.threads = threads,
	        .units = calloc(threads, sizeof(uint64_t *)),
	        .used = calloc(threads, sizeof(unsigned)),
	        .room = calloc(threads, sizeof(unsigned)),
	        .starts = calloc(threads, sizeof(unsigned *)),
	        .records = calloc(threads, sizeof(unsigned)),
	        .seen = calloc(threads, sizeof(struct seen *)),
	        .seen_count = calloc(threads, sizeof(unsigned))};
	m.stamped = calloc(threads, sizeof *m.stamped);
	m.depth = calloc(threads, sizeof *m.depth);
	m.reading = calloc(threads, sizeof *m.reading);
	thread_record(&m, 0, NORN_THREAD_BEGIN, 0, NORN_NO_THREAD);
	for (uint32_t t = 1; t < threads; t++)
		thread_record(&m, 0, NORN_THREAD_FORK, t, 0);
	for (uint32_t t = 1; t < threads; t++)
		thread_record(&m, t, NORN_THREAD_BEGIN, t, 0);
	for (m.step = 0; m.step < options->steps; m.step++)
		act(&m, (uint32_t)any(&m, threads));
	while (m.reading[0].bytes)
		go_on_reading(&m, 0);
	for (uint32_t t = 1; t < threads; t++)
		finish_thread(&m, t);
	for (uint32_t t = 1; t < threads; t++)
		thread_record(&m, 0, NORN_THREAD_JOIN, t, 0);
	finish_thread(&m, 0);
	thread_record(&m, 0, NORN_THREAD_EXIT, 0, 0);
	free(m.stamped);
	free(m.depth);
	free(m.reading);
}

void run_done(struct run *run)
{
	for (uint32_t t = 0; t < run->threads; t++) {
		free(run->units[t]);
		free(run->starts[t]);
		free(run->seen[t]);
	}
	free(run->units);
	free(run->used);
	free(run->room);
	free(run->starts);
	free(run->records);
	free(run->seen);
	free(run->seen_count);
}

int run_write(const struct run *run, const char *path, unsigned block_units)
{
	struct norn_writer *w;
	struct norn_error err = {0};
	if (norn_writer_new(path, &w, &err) != 0) {
		fprintf(stderr, "%s\n", err.message);
		return -1;
	}
	put_sites(w, 16, "site", NORN_SITE_CALL);
	for (uint32_t t = 0; t < run->threads; t++) {
		unsigned since = 0;
		norn_writer_thread(w, t, 0, t);
		for (unsigned i = 0; i < run->records[t]; i++) {
			unsigned from = run->starts[t][i], to = i + 1 < run->records[t] ? run->starts[t][i + 1] : run->used[t];
			norn_writer_record(w, t, &run->units[t][from], to - from);
			since += to - from;
			if (block_units && since >= block_units) {
				norn_writer_flush(w, t);
				since = 0;
			}
		}
	}
	return finish_trace(w);
}
