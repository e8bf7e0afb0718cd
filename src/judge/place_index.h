/* The place index: the ranges of memory that the places of a spec stand for, found by address.
 *
 * A *range* is fixed for a variable. A place behind pointers has one range for each object that they have led to so far; ranges are
 * never taken out. A *spot* is a piece of memory of up to 8 bytes that has a value (place_values.h); several ranges may share one.
 * A field of every object, elements [*] and the names of norn_set have a spot without memory: the value that was written last.
 *
 * Inside the program: any thread may look at any time, without a lock. Ranges are added one after the other, under a lock of the
 * caller. All memory is taken at the start (norn_place_index_init with a fixed room), and touched only as far as it is used. On
 * recorded runs: one thread, and the arrays grow up to a limit. */
#ifndef NORN_JUDGE_PLACE_INDEX_H
#define NORN_JUDGE_PLACE_INDEX_H

#include <stdatomic.h>

#include "base/map.h"
#include "property/property.h"

#define NORN_PLACE_INDEX_MAX 16384u /* inside the program */
#define NORN_PLACE_INDEX_RECORDED (1u << 20)
#define NORN_NO_SPOT UINT32_MAX

struct norn_place_range {
	uint32_t place, hop; /* hop: before the place's last one, this is a pointer on the way */
	uint64_t address, size;
	uint64_t cell_step, count; /* elements; count 0: without limit; else one: 0, 1 */
	uint32_t spot; /* NORN_NO_SPOT: too large to have a value */
	uint32_t of_spot; /* 1 + next range of the same spot */
	bool learned; /* the memory may be gone by now: a pointer led here, or a library that can be unloaded */
	uint64_t witness; /* address of something that is there as long as the library is (modules.h: its table); 0: always */
};

struct norn_online_spot {
	uint64_t address; /* 0: no memory, the value last written */
	uint32_t size; /* 1 to 8 */
	uint32_t ranges; /* 1 + first; linked by of_spot */
	bool learned;
};

struct norn_place_index {
	const struct norn_spec *spec;
	struct norn_place_range *list;
	_Atomic uint32_t count;
	uint32_t room, limit; /* of ranges, and of spots */
	bool grows; /* arrays do, while only one thread looks */
	struct norn_online_spot *spots;
	uint32_t spot_count;
	_Atomic uint64_t *firsts; /* per place: address of its variable's range, 0: not loaded */
	uint32_t *last_written; /* per place: spot of the value last written (fields, elements [*], norn_set), or NORN_NO_SPOT */
	struct norn_map spot_numbers; /* address << 4 | size -> 1 + spot */
	_Atomic uint64_t low, high; /* all ranges lie in between */
	struct range_word {
		_Atomic uint64_t word; /* address / 8; 0: free */
		_Atomic uint32_t first; /* 1 + link */
	} *words; /* slot_count of them, a power of two; open addressing */
	uint32_t slot_count, slots_used;
	struct range_link {
		uint32_t range, next;
	} *links;
	uint32_t link_count, link_room;
	uint32_t *wide; /* ranges that are too large for words */
	_Atomic uint32_t wide_count;
	uint32_t wide_room;
	bool has_pointers;
	bool full; /* there was no room for a range: values of some places stay unknown */
};

/* limit: of ranges; grows: the arrays start small (recorded runs), else all memory is taken now. */
int norn_place_index_init(struct norn_place_index *index, const struct norn_spec *spec, uint32_t limit, bool grows);
void norn_place_index_done(struct norn_place_index *index);

/* ---- with the lock ---- */
/* The place's variable lies at address; witness: as in the range. If it lay elsewhere before, that was unloaded. */
int norn_place_index_bind(struct norn_place_index *index, uint32_t place, uint64_t address, uint64_t witness);
/* The pointer at spot has this value: where it leads to is watched from now on. 0, also if there is no room (full), or -ENOMEM. */
int norn_place_index_learn(struct norn_place_index *index, uint32_t spot, uint64_t pointer);
/* The spot with these bytes, NORN_NO_SPOT if there is none. */
uint32_t norn_place_index_spot(const struct norn_place_index *index, uint64_t address, unsigned size);

/* ---- by any thread ---- */
/* True if the bytes are between the first and the last range. */
static inline bool norn_place_index_near(const struct norn_place_index *z, uint64_t address, uint64_t size)
{
	return address < atomic_load_explicit(&z->high, memory_order_acquire) &&
	       address + size > atomic_load_explicit(&z->low, memory_order_acquire);
}
bool norn_place_index_touch(const struct norn_place_index *index, uint64_t address, uint64_t size);
/* The ranges that these bytes are in, each once: at most room, returns how many. */
uint32_t norn_place_index_find(
        const struct norn_place_index *index, uint64_t address, uint64_t size, uint32_t *ret_ranges, uint32_t room);

/* The end of its last element. */
uint64_t norn_place_range_end(const struct norn_place_range *range);
/* Of a bit-field its bytes, of others the whole place; 0 if it is too large for a spot. *address moves to the first of them. */
unsigned norn_place_bytes(const struct norn_place *place, uint64_t *address);

#endif
