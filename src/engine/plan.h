/* The plan: all that a watched program needs to know of its properties, as one flat block.
 *
 * The command checks the property files against the program, makes the monitors, and writes both; the runtime reads them. The
 * reader yields the struct norn_spec that was written, without declarations, formulas and places in source files, which the
 * monitors replace. Addresses are the linker's, each with its module; the load addresses are known inside the program only.
 *
 *   magic, version, mode, modules, functions, props: spec, monitors, a part for each engine; at the end a check sum
 *
 * plan_descriptors.c has the tables of all structures. The version changes whenever a table does. A plan that is damaged or of
 * another version is refused with a message. The plan that was read points into the block. */
#ifndef NORN_ENGINE_PLAN_H
#define NORN_ENGINE_PLAN_H

#include "base/arena.h"
#include "monitor/monitor.h"
#include "engine/engine.h"

enum norn_watch_mode { NORN_WATCH_GLOBAL, NORN_WATCH_THREAD };

#define NORN_PLAN_TYPES_MAX 64u
#define NORN_PLAN_BYTES_MAX (64u << 20)

struct norn_plan_module {
	const char *path;
	uint64_t base; /* linker's address of what is loaded at the module's load address */
};

/* A function of the program that an action calls. */
struct norn_plan_function {
	const char *name;
	uint32_t module;
	uint64_t address; /* linker's */
	uint32_t doubles, floats; /* parameters of these types, a bit each; the others are whole numbers or pointers */
};

/* One file of properties. */
struct norn_plan_props {
	struct norn_spec spec;
	struct norn_monitor **monitors; /* per property; NULL: not of machines */
	struct norn_plan_part {
		const char *bytes;
		size_t length; /* 0: the engine has nothing to do */
	} parts[NORN_ENGINES];
};

struct norn_plan {
	struct norn_arena arena;
	enum norn_watch_mode mode;
	struct norn_plan_module *modules;
	uint32_t module_count;
	struct norn_plan_function *functions;
	uint32_t function_count;
	struct norn_plan_props *props;
	uint32_t props_count;
};

/* ---- in the command ---- */

/* plan: mode, modules, functions, and how many props will follow. */
void norn_plan_begin(struct norn_pack *pack, const struct norn_plan *plan);
/* monitors: per property of the spec, NULL where it has none. */
int norn_plan_props(struct norn_pack *pack, const struct norn_sources *sources, const struct norn_spec *spec,
        struct norn_monitor **monitors, struct norn_error *err);
int norn_plan_end(struct norn_pack *pack, struct norn_error *err);

/* ---- inside the program ---- */

/* bytes must live as long as the plan. */
int norn_plan_read(const void *bytes, size_t length, struct norn_plan *ret_plan, struct norn_error *err);
void norn_plan_done(struct norn_plan *plan);

#endif
