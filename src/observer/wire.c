#include "observer/wire.h"

#include <errno.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/wire/descriptor.h"
#include "trace/record.h"

#define COUNT_LIMIT (UINT64_C(1) << 31) /* relevant events of a thread are fewer */

static struct norn_unpack reader_of(struct norn_wire_text text)
{
	static const uint8_t none;
	const uint8_t *bytes = text.bytes ? (const uint8_t *)text.bytes : &none;
	return (struct norn_unpack){bytes, bytes + text.length, false};
}

static bool is_over(const struct norn_unpack *in)
{
	return !in->failed && in->at == in->end;
}

/* ---- frames ---- */

static uint32_t load32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store32(uint8_t *at, uint32_t n)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(n >> 8 * i);
}

static struct norn_pack frame_begin(void *to, size_t room)
{
	if (room < NORN_WIRE_OVERHEAD)
		return (struct norn_pack){.fixed = true, .failed = true};
	return (struct norn_pack){.bytes = to, .length = NORN_WIRE_HEADER, .room = room - NORN_WIRE_TAIL, .fixed = true};
}

static size_t longest(unsigned type)
{
	return type == NORN_WIRE_MODULE || type == NORN_WIRE_FILTER ? NORN_WIRE_MAX : NORN_WIRE_SMALL;
}

static size_t frame_end(const struct norn_pack *pack, enum norn_wire_type type)
{
	uint8_t *start = pack->bytes;
	size_t length = pack->length - NORN_WIRE_HEADER;
	if (pack->failed || length > longest(type))
		return 0;
	store32(start, (uint32_t)length);
	start[4] = (uint8_t)type;
	start[5] = NORN_WIRE_VERSION;
	start[6] = start[7] = 0;
	store32(start + pack->length, XXH32(start, pack->length, 0));
	return NORN_WIRE_OVERHEAD + length;
}

long norn_wire_frame(const void *bytes, size_t available, size_t limit, unsigned *ret_type, struct norn_wire_text *ret_payload)
{
	const uint8_t *start = bytes;
	if (available < NORN_WIRE_HEADER)
		return 0;
	size_t length = load32(start);
	unsigned type = start[4];
	if (type == 0 || type >= NORN_WIRE_TYPES || start[5] != NORN_WIRE_VERSION || start[6] || start[7] ||
	        length > longest(type) || length > limit)
		return -EBADMSG;
	if (available < NORN_WIRE_OVERHEAD + length)
		return 0;
	if (load32(start + NORN_WIRE_HEADER + length) != XXH32(start, NORN_WIRE_HEADER + length, 0))
		return -EBADMSG;
	*ret_type = type;
	*ret_payload = (struct norn_wire_text){(const char *)start + NORN_WIRE_HEADER, length};
	return (long)(NORN_WIRE_OVERHEAD + length);
}

/* ---- messages as tables ---- */

static int finish_hello(struct norn_decoding *d, void *object)
{
	const struct norn_wire_hello *m = object;
	(void)d;
	return (m->role == NORN_WIRE_CONTROL || m->role == NORN_WIRE_EVENTS) && m->lane < m->lanes ? 0 : -EINVAL;
}

static const struct norn_field hello_fields[] = {
        NORN_NUMBER(struct norn_wire_hello, version),
        NORN_BYTES(struct norn_wire_hello, token, .limit = NORN_WIRE_TOKEN + 1),
        NORN_NUMBER(struct norn_wire_hello, pid),
        NORN_NUMBER(struct norn_wire_hello, session),
        NORN_NUMBER(struct norn_wire_hello, role),
        NORN_NUMBER(struct norn_wire_hello, lane),
        NORN_NUMBER(struct norn_wire_hello, lanes),
        NORN_BYTES(struct norn_wire_hello, program, .limit = NORN_WIRE_SMALL + 1),
        NORN_BYTES(struct norn_wire_hello, directory, .limit = NORN_WIRE_SMALL + 1),
};
static const struct norn_field refused_fields[] = {NORN_BYTES(struct norn_wire_refused, why, .limit = NORN_WIRE_SMALL + 1)};
static const struct norn_field module_fields[] = {
        NORN_NUMBER(struct norn_wire_module, base),
        NORN_NUMBER(struct norn_wire_module, load),
        NORN_BYTES(struct norn_wire_module, path, .limit = NORN_WIRE_SMALL + 1),
        NORN_BYTES(struct norn_wire_module, table, .limit = NORN_WIRE_MAX + 1),
};
static const struct norn_field ready_fields[] = {NORN_NUMBER(struct norn_wire_ready, modules)};
static const struct norn_field thread_fields[] = {
        NORN_NUMBER(struct norn_wire_thread, number, .limit = NORN_THREADS),
        NORN_NUMBER(struct norn_wire_thread, parent),
        NORN_NUMBER(struct norn_wire_thread, ordinal),
        NORN_NUMBER(struct norn_wire_thread, entered),
        NORN_BYTES(struct norn_wire_thread, name, .limit = NORN_WIRE_SMALL + 1),
};

static int finish_lost(struct norn_decoding *d, void *object)
{
	const struct norn_wire_lost *m = object;
	(void)d;
	return m->first && m->count ? 0 : -EINVAL;
}

static const struct norn_field lost_fields[] = {
        NORN_NUMBER(struct norn_wire_lost, thread, .limit = NORN_THREADS),
        NORN_NUMBER(struct norn_wire_lost, first, .limit = COUNT_LIMIT),
        NORN_NUMBER(struct norn_wire_lost, count, .limit = COUNT_LIMIT),
};
static const struct norn_field end_fields[] = {
        NORN_NUMBER(struct norn_wire_end, thread, .limit = NORN_THREADS),
        NORN_NUMBER(struct norn_wire_end, count, .limit = COUNT_LIMIT),
        NORN_NUMBER(struct norn_wire_end, entered),
};
static const struct norn_field bye_fields[] = {
        NORN_NUMBER(struct norn_wire_bye, events),
        NORN_NUMBER(struct norn_wire_bye, lost),
        NORN_NUMBER(struct norn_wire_bye, seen),
        NORN_NUMBER(struct norn_wire_bye, late),
        NORN_NUMBER(struct norn_wire_bye, unrecorded),
        NORN_NUMBER(struct norn_wire_bye, threads),
        NORN_NUMBER(struct norn_wire_bye, status), /* its 32 bits */
        NORN_NUMBER(struct norn_wire_bye, forked),
};

static int finish_wait(struct norn_decoding *d, void *object)
{
	const struct norn_wire_wait *m = object;
	(void)d;
	return m->thread != m->joined ? 0 : -EINVAL;
}

static const struct norn_field wait_fields[] = {
        NORN_NUMBER(struct norn_wire_wait, thread, .limit = NORN_THREADS),
        NORN_NUMBER(struct norn_wire_wait, joined, .limit = NORN_THREADS),
        NORN_NUMBER(struct norn_wire_wait, count, .limit = COUNT_LIMIT),
};

/* ---- lists of the filter: a count, the length of all items, the items ---- */

typedef void put_item(struct norn_pack *pack, const struct norn_wire_filter *m, uint32_t i);
/* The next item, after the one that item holds; false: there is none that is valid, and item is as before. */
typedef bool get_item(struct norn_unpack *in, void *item);

static void put_list(struct norn_pack *pack, const struct norn_wire_filter *m, uint32_t count, put_item *put)
{
	uint8_t digits[NORN_PACK_DIGITS];
	struct norn_pack length = {.bytes = digits, .room = sizeof digits, .fixed = true};
	norn_pack_number(pack, count);
	size_t start = pack->length;
	for (uint32_t i = 0; i < count; i++)
		put(pack, m, i);
	size_t bytes = pack->length - start;
	norn_pack_number(&length, bytes);
	norn_pack_bytes(pack, digits, length.length);
	if (pack->failed)
		return;
	memmove(pack->bytes + start + length.length, pack->bytes + start, bytes);
	memcpy(pack->bytes + start, digits, length.length);
}

static bool list_valid(struct norn_wire_text bytes, uint32_t count, get_item *get, void *item)
{
	struct norn_unpack in = reader_of(bytes);
	for (uint32_t i = 0; i < count; i++)
		if (!get(&in, item))
			return false;
	return is_over(&in);
}

static bool next_item(struct norn_wire_text *rest, get_item *get, void *item)
{
	struct norn_unpack in = reader_of(*rest);
	if (!rest->length || !get(&in, item))
		return false;
	*rest = (struct norn_wire_text){(const char *)in.at, (size_t)(in.end - in.at)};
	return true;
}

/* Sites are told as steps from one to the next. */
static void put_site(struct norn_pack *pack, const struct norn_wire_filter *m, uint32_t i)
{
	norn_pack_number(pack, m->sites[i] - (i ? m->sites[i - 1] : 0));
}

static bool get_site(struct norn_unpack *in, void *item)
{
	uint32_t *site = item;
	uint64_t step = norn_unpack_below(in, UINT64_C(1) << 32), next = *site + step;
	if (step == 0 || next > UINT32_MAX)
		return false;
	*site = (uint32_t)next;
	return true;
}

static int finish_range(struct norn_decoding *d, void *object)
{
	const struct norn_wire_range *range = object;
	(void)d;
	return range->size <= UINT64_MAX - range->address ? 0 : -EINVAL;
}

static const struct norn_field range_fields[] = {
        NORN_NUMBER(struct norn_wire_range, address),
        NORN_NUMBER(struct norn_wire_range, size),
        NORN_NUMBER(struct norn_wire_range, kinds),
};
static const struct norn_descriptor range_descriptor =
        NORN_DESCRIPTOR(struct norn_wire_range, range_fields, .finish = finish_range);

static void put_range(struct norn_pack *pack, const struct norn_wire_filter *m, uint32_t i)
{
	norn_encode(pack, &range_descriptor, NULL, &m->ranges[i]);
}

static bool get_range(struct norn_unpack *in, void *item)
{
	struct norn_wire_range range = {0};
	if (norn_decode(in, NULL, &range_descriptor, NULL, &range) != 0)
		return false;
	*(struct norn_wire_range *)item = range;
	return true;
}

static void put_name(struct norn_pack *pack, const struct norn_wire_filter *m, uint32_t i)
{
	norn_pack_number(pack, m->names[i].length);
	norn_pack_bytes(pack, m->names[i].bytes, m->names[i].length);
}

static bool get_name(struct norn_unpack *in, void *item)
{
	uint32_t length = norn_unpack_below(in, NORN_WIRE_SMALL + 1);
	const char *bytes = (const char *)norn_unpack_bytes(in, length);
	if (bytes)
		*(struct norn_wire_text *)item = (struct norn_wire_text){bytes, length};
	return bytes;
}

static int finish_filter(struct norn_decoding *d, void *object)
{
	const struct norn_wire_filter *m = object;
	uint32_t site = 0;
	struct norn_wire_range range;
	struct norn_wire_text name;
	(void)d;
	return list_valid(m->site_bytes, m->site_count, get_site, &site) &&
	                       list_valid(m->range_bytes, m->range_count, get_range, &range) &&
	                       list_valid(m->name_bytes, m->name_count, get_name, &name)
	               ? 0
	               : -EINVAL;
}

static const struct norn_field filter_head_fields[] = {
        NORN_NUMBER(struct norn_wire_filter, modules),
        NORN_FLAG(struct norn_wire_filter, all),
        NORN_NUMBER(struct norn_wire_filter, kinds),
        NORN_NUMBER(struct norn_wire_filter, sync_ops),
        NORN_NUMBER(struct norn_wire_filter, thread_ops),
        NORN_NUMBER(struct norn_wire_filter, mark_ops),
};
static const struct norn_descriptor filter_head = NORN_DESCRIPTOR(struct norn_wire_filter, filter_head_fields);
/* As it is read. */
static const struct norn_field filter_fields[] = {
        NORN_PART(.of = &filter_head),
        NORN_NUMBER(struct norn_wire_filter, site_count),
        NORN_BYTES(struct norn_wire_filter, site_bytes),
        NORN_NUMBER(struct norn_wire_filter, range_count),
        NORN_BYTES(struct norn_wire_filter, range_bytes),
        NORN_NUMBER(struct norn_wire_filter, name_count),
        NORN_BYTES(struct norn_wire_filter, name_bytes),
};

size_t norn_wire_put_filter(void *to, size_t room, const struct norn_wire_filter *m)
{
	struct norn_pack pack = frame_begin(to, room);
	norn_encode(&pack, &filter_head, NULL, m);
	put_list(&pack, m, m->site_count, put_site);
	put_list(&pack, m, m->range_count, put_range);
	put_list(&pack, m, m->name_count, put_name);
	return frame_end(&pack, NORN_WIRE_FILTER);
}

bool norn_wire_next_site(struct norn_wire_text *rest, uint32_t *site)
{
	return next_item(rest, get_site, site);
}

bool norn_wire_next_range(struct norn_wire_text *rest, struct norn_wire_range *ret_range)
{
	return next_item(rest, get_range, ret_range);
}

bool norn_wire_next_name(struct norn_wire_text *rest, struct norn_wire_text *ret_name)
{
	return next_item(rest, get_name, ret_name);
}

/* ---- all messages but events ---- */

static const struct norn_descriptor messages[NORN_WIRE_TYPES] = {
        [NORN_WIRE_HELLO] = NORN_DESCRIPTOR(struct norn_wire_hello, hello_fields, .finish = finish_hello),
        [NORN_WIRE_WELCOME] = {0}, /* no payload */
        [NORN_WIRE_REFUSED] = NORN_DESCRIPTOR(struct norn_wire_refused, refused_fields),
        [NORN_WIRE_MODULE] = NORN_DESCRIPTOR(struct norn_wire_module, module_fields),
        [NORN_WIRE_READY] = NORN_DESCRIPTOR(struct norn_wire_ready, ready_fields),
        [NORN_WIRE_FILTER] = NORN_DESCRIPTOR(struct norn_wire_filter, filter_fields, .finish = finish_filter),
        [NORN_WIRE_THREAD] = NORN_DESCRIPTOR(struct norn_wire_thread, thread_fields),
        [NORN_WIRE_LOST] = NORN_DESCRIPTOR(struct norn_wire_lost, lost_fields, .finish = finish_lost),
        [NORN_WIRE_END] = NORN_DESCRIPTOR(struct norn_wire_end, end_fields),
        [NORN_WIRE_BYE] = NORN_DESCRIPTOR(struct norn_wire_bye, bye_fields),
        [NORN_WIRE_WAIT] = NORN_DESCRIPTOR(struct norn_wire_wait, wait_fields, .finish = finish_wait),
};

size_t norn_wire_put(void *to, size_t room, enum norn_wire_type type, const void *message)
{
	struct norn_pack pack = frame_begin(to, room);
	norn_encode(&pack, &messages[type], NULL, message);
	return frame_end(&pack, type);
}

int norn_wire_get(struct norn_wire_text payload, enum norn_wire_type type, void *ret)
{
	union {
		struct norn_wire_hello hello;
		struct norn_wire_refused refused;
		struct norn_wire_module module;
		struct norn_wire_ready ready;
		struct norn_wire_filter filter;
		struct norn_wire_thread thread;
		struct norn_wire_lost lost;
		struct norn_wire_end end;
		struct norn_wire_bye bye;
		struct norn_wire_wait wait;
	} any;
	struct norn_unpack in = reader_of(payload);
	memset(&any, 0, sizeof any);
	if (norn_decode(&in, NULL, &messages[type], NULL, &any) != 0 || !is_over(&in))
		return -EBADMSG;
	memcpy(ret, &any, messages[type].size);
	return 0;
}

/* ---- events: numbers by a table; arguments, data and clock depend on their kind ---- */

static uint64_t ops_of(const void *root, const void *object)
{
	(void)root;
	switch (((const struct norn_wire_event *)object)->event.kind) {
	case NORN_EVENT_SYNC:
		return NORN_SYNC_OPS;
	case NORN_EVENT_THREAD:
		return NORN_THREAD_OPS;
	case NORN_EVENT_ALLOC:
		return NORN_ALLOC_OPS;
	case NORN_EVENT_MARK:
		return NORN_MARK_OPS;
	default:
		return NORN_RANGE_SUBS;
	}
}

static const struct norn_field event_fields[] = {
        NORN_NUMBER(struct norn_wire_event, event.kind, .limit = NORN_EVENT_KINDS),
        NORN_NUMBER(struct norn_wire_event, event.op, .below = ops_of),
        NORN_NUMBER(struct norn_wire_event, event.thread, .limit = NORN_THREADS),
        NORN_NUMBER(struct norn_wire_event, event.site),
        NORN_NUMBER(struct norn_wire_event, event.call_site),
        NORN_NUMBER(struct norn_wire_event, event.addr),
        NORN_NUMBER(struct norn_wire_event, event.size),
        NORN_NUMBER(struct norn_wire_event, event.value),
        NORN_NUMBER(struct norn_wire_event, event.argument),
        NORN_NUMBER(struct norn_wire_event, event.time),
        NORN_NUMBER(struct norn_wire_event, event.index),
        NORN_NUMBER(struct norn_wire_event, number),
        NORN_NUMBER(struct norn_wire_event, depth),
};
static const struct norn_descriptor event_numbers = NORN_DESCRIPTOR(struct norn_wire_event, event_fields);

static bool has_data(const struct norn_event *e)
{
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
	return access && e->size > 8 && e->data;
}

/* Entries as steps from one thread to the next. */
static void put_clock(struct norn_pack *pack, const struct norn_wire_event *m)
{
	norn_pack_number(pack, m->entries);
	for (uint32_t i = 0; i < m->entries; i++) {
		norn_pack_number(pack, m->clock[i].thread - (i ? m->clock[i - 1].thread : 0));
		norn_pack_number(pack, m->clock[i].count);
	}
}

static uint32_t arg_count(const struct norn_event *e)
{
	if (!e->args || (e->kind != NORN_EVENT_ENTER && e->kind != NORN_EVENT_LEAVE))
		return 0;
	return e->count < NORN_DECODE_ARGS ? e->count : NORN_DECODE_ARGS;
}

size_t norn_wire_put_event(void *to, size_t room, const struct norn_wire_event *m)
{
	const struct norn_event *e = &m->event;
	struct norn_pack pack = frame_begin(to, room);
	uint32_t args = arg_count(e);
	size_t data = has_data(e) ? e->size : 0;
	norn_encode(&pack, &event_numbers, NULL, m);
	norn_pack_number(&pack, args);
	for (uint32_t i = 0; i < args; i++)
		norn_pack_number(&pack, e->args[i]);
	norn_pack_number(&pack, data);
	if (data)
		norn_pack_bytes(&pack, e->data, data);
	norn_pack_number(&pack, m->name.length);
	if (m->name.length)
		norn_pack_bytes(&pack, m->name.bytes, m->name.length);
	put_clock(&pack, m);
	return frame_end(&pack, NORN_WIRE_EVENT);
}

static bool get_entry(struct norn_unpack *in, void *item)
{
	struct norn_wire_clock *entry = item;
	uint64_t step = norn_unpack_number(in), count = norn_unpack_number(in), thread = entry->thread + step;
	if (in->failed || step >= NORN_THREADS || thread >= NORN_THREADS || count == 0 || count >= COUNT_LIMIT ||
	        (step == 0 && entry->count))
		return false;
	*entry = (struct norn_wire_clock){(uint32_t)thread, (uint32_t)count};
	return true;
}

/* The rest is the clock. */
static bool get_clock(struct norn_unpack *in, struct norn_wire_event *m)
{
	struct norn_wire_clock entry = {0};
	bool own = false;
	m->entries = norn_unpack_below(in, NORN_WIRE_CLOCK_MAX + 1);
	const uint8_t *start = in->at;
	for (uint32_t i = 0; i < m->entries; i++) {
		if (!get_entry(in, &entry))
			return false;
		own |= entry.thread == m->event.thread;
	}
	if (!is_over(in) || !own)
		return false;
	m->clock_bytes = (struct norn_wire_text){(const char *)start, (size_t)(in->end - start)};
	return true;
}

static bool data_valid(const struct norn_event *e, struct norn_wire_text data)
{
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
	return data.length == 0 || (access && e->size > 8 && data.length == e->size);
}

int norn_wire_get_event(struct norn_wire_text payload, struct norn_wire_event *ret)
{
	struct norn_unpack in = reader_of(payload);
	struct norn_wire_text data = {0};
	struct norn_event *e = &ret->event;
	memset(ret, 0, offsetof(struct norn_wire_event, args));
	if (norn_decode(&in, NULL, &event_numbers, NULL, ret) != 0)
		return -EBADMSG;
	e->known = true;
	e->count = norn_unpack_below(&in, NORN_DECODE_ARGS + 1);
	e->args = e->count ? ret->args : NULL;
	for (uint32_t i = 0; i < e->count; i++)
		ret->args[i] = norn_unpack_number(&in);
	if (!get_name(&in, &data) || !get_name(&in, &ret->name) || e->kind == 0 || !data_valid(e, data) || !get_clock(&in, ret))
		return -EBADMSG;
	e->data = data.length ? (const uint8_t *)data.bytes : NULL;
	return e->count && e->kind != NORN_EVENT_ENTER && e->kind != NORN_EVENT_LEAVE ? -EBADMSG : 0;
}

bool norn_wire_next_clock(struct norn_wire_text *rest, struct norn_wire_clock *entry)
{
	return next_item(rest, get_entry, entry);
}
