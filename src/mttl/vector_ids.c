#include "mttl/vector_ids.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lock.h"

#define KEPT 64u
#define REST_LEAST 4096u

void *norn_id_objects[NORN_IDS];

static struct norn_online_lock lock; /* of all that follows */
static uint32_t lists[2][NORN_IDS];
static uint32_t *ready = lists[0], *resting = lists[1];
static uint32_t ready_count, resting_count, used = NORN_ID_NONE + 1;
static struct norn_id_tables *all_tables;
static struct norn_seen *idle_seen;

static _Thread_local uint32_t own[KEPT], own_count, given[KEPT], given_count;

/* ---- tables ---- */

/* A word that was never written to tells nothing. */
static void know_none(struct norn_id_tables *tables)
{
	__atomic_store_n(&tables->entries[NORN_KNOWLEDGE_CACHE_KNOWN + NORN_ID_NONE], 1, __ATOMIC_RELAXED);
}

/* With tables that are all zero; kept for the next thread, never freed. */
static struct norn_seen *new_seen(void)
{
	/* By malloc, which is the library's own inside a program (src/runtime/meson.build). */
	struct norn_seen *seen;
	char *room = malloc(sizeof *seen + 63);
	uint8_t *familiar = calloc(2, NORN_IDS); /* of which little is ever touched */
	if (!room || !familiar) {
		free(room);
		free(familiar);
		return NULL;
	}
	seen = (struct norn_seen *)(void *)(room + (-(uintptr_t)room & 63));
	seen->familiar = familiar;
	return seen;
}

static struct norn_seen *take_seen(void)
{
	norn_online_lock(&lock);
	struct norn_seen *seen = idle_seen;
	if (seen)
		idle_seen = seen->next;
	norn_online_unlock(&lock);
	return seen ? seen : new_seen();
}

bool norn_id_tables_open(struct norn_id_tables *tables)
{
	tables->seen = take_seen();
	if (!tables->seen)
		return false;
	tables->entries = tables->seen->familiar;
	memset(tables->seen->entries, 0xff, sizeof tables->seen->entries);
	tables->seen->used = 0;
	know_none(tables);
	norn_online_lock(&lock);
	tables->next = all_tables;
	tables->at = &all_tables;
	if (all_tables)
		all_tables->at = &tables->next;
	all_tables = tables;
	norn_online_unlock(&lock);
	return true;
}

/* While their threads read them, and set entries of numbers that do not rest, which may so be lost. */
static void clear(struct norn_id_tables *tables)
{
	for (uint32_t half = 0; half < 2; half++) {
		uint64_t *at = (uint64_t *)(void *)(tables->entries + half * (size_t)NORN_IDS);
		for (uint32_t i = 0; i < (used + 7) / 8; i++)
			if (__atomic_load_n(&at[i], __ATOMIC_RELAXED))
				__atomic_store_n(&at[i], 0, __ATOMIC_RELAXED);
	}
	know_none(tables);
	/* After the tables: see norn_knowledge_cache_remember. */
	for (uint32_t i = 0; i < NORN_SEEN_READS; i++)
		__atomic_store_n(&tables->seen->entries[i], NORN_KNOWLEDGE_CACHE_CLOSED, __ATOMIC_RELEASE);
}

void norn_id_tables_close(struct norn_id_tables *tables)
{
	if (!tables->entries)
		return;
	norn_online_lock(&lock);
	*tables->at = tables->next;
	if (tables->next)
		tables->next->at = tables->at;
	clear(tables);
	tables->seen->next = idle_seen;
	idle_seen = tables->seen;
	norn_online_unlock(&lock);
}

/* ---- numbers ---- */

/* Clearing costs what there are numbers: so the more there are, the longer they rest; and some do even if there are no others,
 * since else each new vector would cost that. */
static void wake_resting(void)
{
	if (resting_count < REST_LEAST || (used < NORN_IDS && resting_count < used / 4))
		return;
	for (struct norn_id_tables *t = all_tables; t; t = t->next)
		clear(t);
	uint32_t *list = ready;
	ready = resting;
	resting = list;
	ready_count = resting_count;
	resting_count = 0;
}

static void fetch(void)
{
	norn_online_lock(&lock);
	if (!ready_count)
		wake_resting();
	while (own_count < KEPT / 2 && (ready_count || used < NORN_IDS))
		own[own_count++] = ready_count ? ready[--ready_count] : used++;
	norn_online_unlock(&lock);
}

static void hand_over(void)
{
	norn_online_lock(&lock);
	while (given_count)
		resting[resting_count++] = given[--given_count];
	assert(ready_count + resting_count <= used);
	norn_online_unlock(&lock);
}

uint32_t norn_id_take(void *object)
{
	if (!own_count)
		fetch();
	if (!own_count)
		return 0;
	uint32_t id = own[--own_count];
	assert(id > NORN_ID_NONE && id < NORN_IDS);
	norn_id_objects[id] = object;
	return id;
}

void norn_id_give(uint32_t id)
{
	if (!id)
		return;
	assert(id > NORN_ID_NONE && id < NORN_IDS);
	if (given_count == KEPT)
		hand_over();
	given[given_count++] = id;
}

void norn_id_relax(void)
{
	hand_over();
	norn_online_lock(&lock);
	while (own_count)
		ready[ready_count++] = own[--own_count];
	norn_online_unlock(&lock);
}
