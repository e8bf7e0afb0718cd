/* A binding: what the names of a spec stand for in one recorded run.
 *
 * A *spot* is a piece of memory of at most 8 bytes whose value predicates need: a variable, or a pointer on the way to one. Spots
 * are numbered; a valuation is their values. A *zone* says which bytes a place stands for: that is fixed for a variable, and found
 * out as the run goes by where pointers lead to it (norn_binding_learn), so that one place may have many zones, of which its
 * pointers choose one at any time. A field of every object and elements [*] have one spot that is no memory: the value of the last write.
 * The names that norn_set gives values to have one, too; before the first norn_set it is 0.
 *
 * The binding also knows which type each thread is of, and which sites belong to which selector. It points into spec, program and
 * trace, which must live longer. */
#ifndef NORN_JUDGE_RECORDED_BINDING_H
#define NORN_JUDGE_RECORDED_BINDING_H

#include "base/map.h"
#include "monitor/eval.h"
#include "property/property.h"
#include "trace/reader.h"

#define NORN_SPOT_NONE UINT32_MAX
#define NORN_SPOTS_MAX (1u << 20)

struct norn_spot {
	uint64_t address; /* 0: no memory */
	uint8_t size; /* bytes, 1 to 8 */
	uint32_t zones; /* 1 + the first zone that lies on it, linked by of_spot; 0: none */
};

struct norn_zone {
	uint32_t place, hop; /* hop: before the place's last one, this is a pointer on the way */
	uint64_t address, size;
	uint64_t cell_step, count; /* elements; count 0: without limit; else one: 0, 1 */
	uint32_t spot; /* NORN_SPOT_NONE: too large to have a value */
	uint32_t of_spot; /* 1 + next zone of the same spot */
};

/* What a site, a mark's name, … is to the spec: a selector of an event. Linked through next, 1 + index, 0 ends. */
struct norn_clue {
	uint32_t event, selector, next;
};

struct norn_binding {
	const struct norn_spec *spec;
	const struct norn_program *program; /* may be NULL: initial values are unknown */
	const struct norn_trace *trace;
	uint32_t threads;

	struct norn_spot *spots;
	uint32_t spot_count, spot_room;
	struct norn_zone *zones;
	uint32_t zone_count, zone_room;
	struct norn_map words; /* address / 8 -> 1 + index in links */
	struct norn_link {
		uint32_t zone, next;
	} *links;
	uint32_t link_count, link_room;
	uint32_t *wide; /* zones that are too large for words */
	uint32_t wide_count;
	uint64_t low, high; /* all zones lie in between */
	struct norn_map seats; /* address and size -> 1 + spot */
	uint32_t *last_written; /* per place: spot of the value last written, NORN_SPOT_NONE: the place's zones have them */
	bool overflow; /* more than NORN_SPOTS_MAX spots: the values of some places stay unknown */

	uint32_t *sites; /* per site from NORN_SITE_FIRST on: 1 + index of its first clue, 0: none */
	uint32_t site_count;
	struct norn_clue *clues;
	uint32_t clue_count, clue_room;
	uint32_t *field_sites; /* per site: 1 + the FIELD place that it accesses, 0: none; NULL: no such places */
	uint32_t starts; /* first clue of selectors of the kinds START, EXIT and JOIN */
	uint32_t notes; /* first clue of selectors of the kind NOTE */
	bool has_pointers, has_fields, has_keys, has_sets;
	uint32_t locks, accesses; /* first clues of LOCK, UNLOCK; of READ, WRITE, ACCESS */

	bool *types; /* threads × spec->type_count */
	const char **started; /* per thread: name of the function that it entered first, "" if none */
};

/* Fails for lack of memory, or with a sentence if the trace cannot be read. */
int norn_binding_new(const struct norn_spec *spec, const struct norn_program *program, struct norn_trace *trace,
        struct norn_binding **ret_binding, struct norn_error *err);
void norn_binding_free(struct norn_binding *binding);
/* Finds out what threads were started with, even if the spec does not ask. */
int norn_binding_starts(struct norn_binding *binding, struct norn_trace *trace, struct norn_error *err);

/* The pointer at spot has this value: where it leads to is watched from now on. 1 if that is new, 0 if not, -ENOMEM. */
int norn_binding_learn(struct norn_binding *binding, uint32_t spot, uint64_t pointer);

/* For runs that are still going on. A thread that the trace has got since; there is then room for some more than that (threads). started:
 * the function that it entered first, "" if none; it may become known later. And the sites of modules that it has got since. */
int norn_binding_add_thread(struct norn_binding *binding, uint32_t thread, const char *started);
int norn_binding_add_sites(struct norn_binding *binding);

static inline bool norn_binding_is_type(const struct norn_binding *b, uint32_t thread, uint32_t type)
{
	return thread < b->threads && b->types[thread * b->spec->type_count + type];
}

/* The bytes of a spot at the start of the run; a mask of those that are known. */
uint8_t norn_binding_initial(const struct norn_binding *binding, uint32_t spot, uint64_t *ret_bytes);

#endif
