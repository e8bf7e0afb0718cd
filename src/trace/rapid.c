#include "trace/rapid.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "trace/merge.h"
#include "trace/record.h"
#include "trace/writer.h"

#define VARIABLES UINT64_C(0x100000000) /* addresses of variables, and */
#define LOCKS UINT64_C(0x200000000) /* of locks; they have names of their own */
#define INFO_SOURCE "rapid" /* INFO source=…: names and locations in the sites are those of the text */

enum op { OP_READ, OP_WRITE, OP_ACQUIRE, OP_RELEASE, OP_FORK, OP_JOIN, OP_BEGIN, OP_END, OPS };
static const char *const op_names[OPS] = {"r", "w", "acq", "rel", "fork", "join", "begin", "end"};

/* ---- names: strings to consecutive numbers ---- */

struct names {
	struct norn_map by_hash; /* hash to uint32_t: 1 + number */
	char **strings;
	uint32_t count, room;
	uint32_t *offsets; /* where each string is in the site table, 0: not there yet */
};

static void names_done(struct names *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		free(n->strings[i]);
	free(n->strings);
	free(n->offsets);
	norn_map_done(&n->by_hash);
}

static int names_add(struct names *n, const char *string, uint32_t *ret_number)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (const char *c = string; *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
	void *found;
	for (;; hash++) {
		int r = norn_map_put(&n->by_hash, hash, &found);
		if (r != 0)
			return r;
		uint32_t number = *(uint32_t *)found;
		if (number == 0)
			break;
		if (strcmp(n->strings[number - 1], string) == 0) {
			*ret_number = number - 1;
			return 0;
		}
	}
	if (n->count == n->room) {
		uint32_t room = n->room ? n->room * 2 : 64;
		char **strings = realloc(n->strings, room * sizeof *strings);
		if (!strings)
			return -ENOMEM;
		n->strings = strings;
		n->room = room;
	}
	if (!(n->strings[n->count] = strdup(string)))
		return -ENOMEM;
	*ret_number = n->count++;
	*(uint32_t *)found = n->count;
	return 0;
}

/* ---- import ---- */

struct lock {
	uint32_t version;
	uint32_t holder, depth; /* 1 + thread */
};

struct thread {
	uint32_t parent, children; /* parent: NORN_NO_THREAD if none */
	bool acted, forked, joined, ended;
};

/* What a site says, apart from its location. */
struct site_key {
	uint32_t op, name, location; /* name: of a variable, lock or thread */
};

struct importer {
	struct norn_writer *writer;
	struct norn_error *err;
	struct names threads, variables, locks, locations, sites;
	struct thread *thread;
	uint32_t thread_room;
	uint32_t *versions, version_room; /* of the variables */
	struct lock *lock;
	uint32_t lock_room;
	struct site_key *keys;
	uint32_t key_room;
	uint64_t clock;
	struct norn_rapid_import *result;
};

/* Makes *array, of elements of size bytes, long enough for index; new elements are zeroed. */
static int reserve(void *array, uint32_t *room, uint32_t index, size_t size)
{
	if (index < *room)
		return 0;
	uint32_t wanted = *room ? *room : 64;
	while (wanted <= index)
		wanted *= 2;
	char *grown = realloc(*(void **)array, wanted * size);
	if (!grown)
		return -ENOMEM;
	memset(grown + *room * size, 0, (wanted - *room) * size);
	*(void **)array = grown;
	*room = wanted;
	return 0;
}

#define BAD(im, ...) norn_error_set((im)->err, -EINVAL, __VA_ARGS__)

/* T7 and 7 are the same thread. */
static int thread_number(struct importer *im, const char *token, uint32_t *ret_thread)
{
	bool t = token[0] == 'T' && token[1] && strspn(token + 1, "0123456789") == strlen(token + 1);
	if (names_add(&im->threads, t ? token + 1 : token, ret_thread) != 0 ||
	        reserve(&im->thread, &im->thread_room, *ret_thread, sizeof *im->thread) != 0)
		return norn_error_no_memory(im->err);
	return 0;
}

static int site_of(struct importer *im, enum op op, uint32_t name, const char *location, uint32_t *ret_site)
{
	uint32_t where, site;
	char key[64];
	if (names_add(&im->locations, location, &where) != 0)
		return norn_error_no_memory(im->err);
	snprintf(key, sizeof key, "%d %u %u", op, name, where);
	if (names_add(&im->sites, key, &site) != 0 || reserve(&im->keys, &im->key_room, site, sizeof *im->keys) != 0)
		return norn_error_no_memory(im->err);
	if (site >= NORN_SITE_FIRST - 1)
		return BAD(im, "there are more than %u different events", NORN_SITE_FIRST - 1);
	im->keys[site] = (struct site_key){op, name, where};
	*ret_site = NORN_SITE_FIRST + site;
	return 0;
}

static int emit(struct importer *im, uint32_t thread, uint64_t first, uint64_t second, uint64_t third)
{
	uint64_t time = im->clock << 8 | NORN_TAG_TIME, record[3] = {first, second, third};
	norn_writer_record(im->writer, thread, &time, 1);
	int r = norn_writer_record(im->writer, thread, record, norn_record_tag(first) == NORN_TAG_READ ? 2 : 3);
	return r == 0 ? 0 : norn_error_set(im->err, r, "the trace cannot be written: %s", strerror(-r));
}

static int emit_thread(
        struct importer *im, uint32_t thread, enum norn_thread_op op, uint32_t other, uint64_t argument, uint32_t site)
{
	return emit(im, thread, (unsigned)op << 4 | NORN_TAG_THREAD, (uint64_t)other << 32 | site, argument);
}

/* The first event of a thread: it begins, at a site that is not known unless the text has one. */
static int begin(struct importer *im, uint32_t thread, uint32_t site)
{
	struct thread *t = &im->thread[thread];
	t->acted = true;
	if (!t->forked) {
		t->parent = NORN_NO_THREAD;
		norn_writer_thread(im->writer, thread, thread == 0 ? 0 : NORN_NO_THREAD, 0);
	}
	return emit_thread(im, thread, NORN_THREAD_BEGIN, thread, t->parent, site);
}

static int end(struct importer *im, uint32_t thread, uint32_t site)
{
	im->thread[thread].ended = true;
	return emit_thread(im, thread, NORN_THREAD_END, thread, 0, site);
}

static int fork_thread(struct importer *im, uint32_t thread, uint32_t child, uint32_t site)
{
	struct thread *t = &im->thread[child];
	if (t->acted || t->forked)
		return BAD(im, "thread %s is forked after it began", im->threads.strings[child]);
	t->forked = true;
	t->parent = thread;
	norn_writer_thread(im->writer, child, thread, ++im->thread[thread].children);
	return emit_thread(im, thread, NORN_THREAD_FORK, child, 0, site);
}

static int join_thread(struct importer *im, uint32_t thread, uint32_t child, uint32_t site)
{
	struct thread *t = &im->thread[child];
	if (child == thread)
		return BAD(im, "thread %s joins itself", im->threads.strings[child]);
	if (t->joined)
		return BAD(im, "thread %s is joined for the second time", im->threads.strings[child]);
	t->joined = true;
	if (!t->acted && !t->forked) /* never heard of, before or after: it has no records, but a number */
		norn_writer_thread(im->writer, child, NORN_NO_THREAD, 0);
	if (t->acted && !t->ended) {
		int r = end(im, child, 0);
		if (r != 0)
			return r;
	}
	t->ended = true;
	return emit_thread(im, thread, NORN_THREAD_JOIN, child, 0, site);
}

static int access_variable(struct importer *im, enum op op, uint32_t thread, uint32_t variable, uint32_t site)
{
	uint32_t *version = &im->versions[variable];
	uint64_t addr = VARIABLES + variable * 8ull;
	if (op == OP_READ)
		return emit(im, thread, addr << 16 | 3u << 4 | NORN_TAG_READ, (uint64_t)*version << 32 | site, 0);
	++*version; /* the value that it writes: no two writes of a variable are alike */
	return emit(im, thread, addr << 16 | 3u << 4 | NORN_TAG_WRITE, (uint64_t)*version << 32 | site, *version);
}

static int use_lock(struct importer *im, enum op op, uint32_t thread, uint32_t number, uint32_t site)
{
	struct lock *lock = &im->lock[number];
	const char *name = im->locks.strings[number];
	bool inner = lock->holder == thread + 1 && lock->depth > (op == OP_RELEASE);
	if (op == OP_ACQUIRE && lock->holder && !inner)
		return BAD(im, "lock %s is acquired while thread %s holds it", name, im->threads.strings[lock->holder - 1]);
	if (op == OP_RELEASE && lock->holder != thread + 1)
		return BAD(im, "lock %s is released by a thread that does not hold it", name);
	lock->depth += op == OP_ACQUIRE ? 1 : -1u;
	lock->holder = lock->depth ? thread + 1 : 0;
	if (inner) {
		im->result->reentrant++;
		return 0;
	}
	unsigned sync = op == OP_ACQUIRE ? NORN_SYNC_ACQUIRE : NORN_SYNC_RELEASE;
	return emit(im, thread, (LOCKS + number * 64ull) << 16 | sync << 4 | NORN_TAG_SYNC, (uint64_t)++lock->version << 32 | site,
	        NORN_LOCK_MUTEX);
}

static int target_of(struct importer *im, enum op op, uint32_t thread, const char *target, uint32_t *ret_number)
{
	switch (op) {
	case OP_READ:
	case OP_WRITE:
		if (names_add(&im->variables, target, ret_number) != 0 ||
		        reserve(&im->versions, &im->version_room, *ret_number, sizeof *im->versions) != 0)
			return norn_error_no_memory(im->err);
		return 0;
	case OP_ACQUIRE:
	case OP_RELEASE:
		if (names_add(&im->locks, target, ret_number) != 0 ||
		        reserve(&im->lock, &im->lock_room, *ret_number, sizeof *im->lock) != 0)
			return norn_error_no_memory(im->err);
		return 0;
	case OP_FORK:
	case OP_JOIN:
		return thread_number(im, target, ret_number);
	default:
		*ret_number = thread;
		return 0;
	}
}

static int event(struct importer *im, uint32_t thread, enum op op, const char *target, const char *location)
{
	uint32_t number, site;
	int r = target_of(im, op, thread, target, &number);
	if (r == 0)
		r = site_of(im, op, number, location, &site);
	if (r != 0)
		return r;
	im->clock++;
	im->result->events++;
	struct thread *t = &im->thread[thread];
	if (t->ended)
		return BAD(im, "thread %s acts after its end", im->threads.strings[thread]);
	if (op == OP_BEGIN) {
		if (t->acted)
			return BAD(im, "thread %s begins after it has acted", im->threads.strings[thread]);
		return begin(im, thread, site);
	}
	if (!t->acted && (r = begin(im, thread, 0)) != 0)
		return r;
	switch (op) {
	case OP_READ:
	case OP_WRITE:
		return access_variable(im, op, thread, number, site);
	case OP_ACQUIRE:
	case OP_RELEASE:
		return use_lock(im, op, thread, number, site);
	case OP_FORK:
		return fork_thread(im, thread, number, site);
	case OP_JOIN:
		return join_thread(im, thread, number, site);
	default:
		return end(im, thread, site);
	}
}

/* Cuts white space off both ends. */
static char *trim(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = 0;
	return text;
}

static int line(struct importer *im, char *text)
{
	text = trim(text);
	if (!*text)
		return 0;
	char *first = strchr(text, '|'), *second = first ? strchr(first + 1, '|') : NULL;
	if (!first)
		return BAD(im, "this is not of the form thread|op(target)|location");
	*first = 0;
	if (second)
		*second = 0;
	char *who = trim(text), *what = trim(first + 1), *where = second ? trim(second + 1) : (char *)"";
	char *open = strchr(what, '('), *close = strrchr(what, ')');
	if (open && (!close || close < open || close[1]))
		return BAD(im, "the target of %.*s has no closing parenthesis", (int)(open - what), what);
	char *target = (char *)"";
	if (open) {
		*open = *close = 0;
		target = trim(open + 1);
		what = trim(what);
	}
	if (!*who)
		return BAD(im, "the thread is missing");
	enum op op = 0;
	while (op < OPS && strcmp(op_names[op], what) != 0)
		op++;
	if (op == OPS)
		return BAD(im, "there is no operation %.40s: it is one of r, w, acq, rel, fork, join, begin, end", what);
	if (!*target && op < OP_BEGIN)
		return BAD(im, "%s needs a target, as in %s(x)", what, what);
	uint32_t thread;
	int r = thread_number(im, who, &thread);
	return r != 0 ? r : event(im, thread, op, target, where);
}

static int lines(struct importer *im, FILE *from, const char *name)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t length;
	int r = 0;
	for (unsigned number = 1; r == 0 && (length = getline(&text, &room, from)) >= 0; number++) {
		if (strlen(text) != (size_t)length)
			r = BAD(im, "there is a NUL character in this line");
		else
			r = line(im, text);
		if (r == -EINVAL && im->err) {
			snprintf(im->err->file, sizeof im->err->file, "%s", name);
			im->err->line = number;
		}
	}
	if (r == 0 && ferror(from))
		r = norn_error_set(im->err, -EIO, "%s cannot be read", name);
	free(text);
	return r;
}

/* ---- the site table of an import ---- */

struct strings {
	char *bytes;
	size_t used, room;
};

static uint32_t add_string(struct strings *s, const char *text)
{
	size_t bytes = strlen(text) + 1;
	if (bytes == 1)
		return 0;
	if (s->used + bytes > s->room) {
		size_t room = (s->used + bytes) * 2;
		char *grown = realloc(s->bytes, room);
		if (!grown)
			return 0;
		s->bytes = grown;
		s->room = room;
	}
	memcpy(s->bytes + s->used, text, bytes);
	s->used += bytes;
	return (uint32_t)(s->used - bytes);
}

/* The same for a name, once. */
static uint32_t add_name(struct strings *s, struct names *names, uint32_t i)
{
	if (!names->offsets)
		names->offsets = calloc(names->count, sizeof *names->offsets);
	if (!names->offsets)
		return 0;
	if (!names->offsets[i])
		names->offsets[i] = add_string(s, names->strings[i]);
	return names->offsets[i];
}

/* A location that is a plain number is a line; else it goes where a function's name would. */
static bool is_line(const char *location)
{
	size_t length = strlen(location);
	return length && length < 10 && strspn(location, "0123456789") == length && (location[0] != '0' || length == 1);
}

static void fill_site(
        struct importer *im, uint32_t i, uint32_t file, const uint32_t *ops, struct strings *s, struct norn_site *site)
{
	static const uint8_t kinds[OPS] = {[OP_READ] = NORN_SITE_READ, [OP_WRITE] = NORN_SITE_WRITE};
	const struct site_key *key = &im->keys[i];
	const char *location = im->locations.strings[key->location];
	struct names *of = key->op <= OP_WRITE ? &im->variables : key->op <= OP_RELEASE ? &im->locks : &im->threads;
	*site = (struct norn_site){
	        .kind = kinds[key->op] ? kinds[key->op] : NORN_SITE_CALL,
	        .size = key->op <= OP_WRITE ? 8 : 0,
	        .file = file,
	        .name = add_name(s, of, key->name),
	        .type = ops[key->op],
	};
	if (is_line(location))
		site->line = (uint32_t)strtoul(location, NULL, 10);
	else
		site->function = add_name(s, &im->locations, key->location);
}

static int write_sites(struct importer *im, const char *name)
{
	struct strings s = {.used = 1, .room = 64, .bytes = calloc(1, 64)};
	uint32_t count = im->sites.count;
	struct norn_site *sites = calloc(count + 1ul, sizeof *sites);
	int r = -ENOMEM;
	char *blob = NULL;
	if (s.bytes && sites) {
		uint32_t file = add_string(&s, name), ops[OPS];
		for (unsigned i = 0; i < OPS; i++)
			ops[i] = add_string(&s, op_names[i]);
		for (uint32_t i = 0; i < count; i++)
			fill_site(im, i, file, ops, &s, &sites[i]);
		struct norn_site_table table = {.magic = NORN_SITE_MAGIC,
		        .version = NORN_SITE_VERSION,
		        .level = NORN_LEVEL_SHARED,
		        .sites = count,
		        .strings = (uint32_t)s.used,
		        .source = file};
		size_t site_bytes = count * sizeof *sites, bytes = sizeof table + site_bytes + s.used;
		if ((blob = malloc(bytes))) {
			memcpy(blob, &table, sizeof table);
			memcpy(blob + sizeof table, sites, site_bytes);
			memcpy(blob + sizeof table + site_bytes, s.bytes, s.used);
			r = norn_writer_module(im->writer, NORN_SITE_FIRST, name, (struct norn_site_table *)(void *)blob, bytes);
		}
	}
	free(blob);
	free(sites);
	free(s.bytes);
	return r == 0 ? 0 : norn_error_set(im->err, r, "the trace cannot be written: %s", strerror(-r));
}

/* Threads that the text leaves running end with it; one that was never heard of but forked has no records. */
static int finish(struct importer *im, const char *name)
{
	int r = 0;
	im->clock++;
	for (uint32_t i = 0; r == 0 && i < im->threads.count; i++)
		if (im->thread[i].acted && !im->thread[i].ended)
			r = end(im, i, 0);
	for (uint32_t i = 0; r == 0 && i < im->threads.count; i++) {
		const char *plain = im->threads.strings[i];
		char token[300];
		snprintf(token, sizeof token, "%s%s", isdigit((unsigned char)plain[0]) ? "T" : "", plain);
		norn_writer_name(im->writer, 0, i, token);
	}
	if (r == 0)
		r = write_sites(im, name);
	if (r != 0)
		return r;
	norn_writer_info(im->writer, "source=" INFO_SOURCE);
	const struct norn_file_header header = {.tsc_hz = 1000000000u};
	return norn_writer_finish(im->writer, &header, im->err);
}

int norn_rapid_import(FILE *from, const char *name, const char *to, struct norn_rapid_import *ret_import, struct norn_error *err)
{
	*ret_import = (struct norn_rapid_import){0};
	struct importer im = {.err = err, .result = ret_import};
	struct names *all[] = {&im.threads, &im.variables, &im.locks, &im.locations, &im.sites};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		norn_map_init(&all[i]->by_hash, sizeof(uint32_t));
	int r = norn_writer_new(to, &im.writer, err);
	if (r == 0)
		r = lines(&im, from, name);
	if (r == 0 && ret_import->events == 0)
		r = norn_error_set(err, -EINVAL, "%s has no events", name);
	if (r == 0)
		r = finish(&im, name);
	norn_writer_free(im.writer);
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		names_done(all[i]);
	free(im.thread);
	free(im.versions);
	free(im.lock);
	free(im.keys);
	return r;
}
