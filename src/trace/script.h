/* Scripts: predicted runs as a program can take them, and their text, the schedule file (docs/confirm.md).
 *
 * A script lists the acts of threads (stage.h) that matter to a predicted run, and which of them come after which; what is not listed runs
 * free. Threads are named by their path of creation, places by their site, calls and acts by how often the same came before: never by address.
 * Acts are in the order of the predicted run, and come after earlier ones only. The script owns all that is in it. */
#ifndef NORN_TRACE_SCRIPT_H
#define NORN_TRACE_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "trace/stage.h"

struct norn_script_unit {
	const char *source;
	uint64_t hash; /* of its table: norn_stage_table_hash */
	uint32_t sites;
	const char *library; /* that it is in; "": the executable */
};

struct norn_script_site {
	uint32_t unit, index;
	const char *file, *function;
	unsigned line, column;
};

struct norn_script_role {
	const char *path;
	uint32_t parent, ordinal; /* NORN_STAGE_NONE: main */
};

/* Nodes: those of the roles first, one for each; then calls. */
struct norn_script_node {
	uint32_t role, parent;
	uint32_t call, entry; /* 1 + site, 0: unknown */
	uint32_t time; /* 0: that of a role */
};

struct norn_script_act {
	uint32_t role, node;
	uint32_t site; /* 1 + number, 0: none */
	uint32_t deed, time;
	bool hold; /* it is not to happen: its thread stays there */
	const char *what; /* variable or lock, "" if unknown */
	uint32_t after, after_count; /* in afters: acts that come first */
};

/* The recorded run, by which it is told when a new one does not get on. All 0: unknown. */
struct norn_script_pace {
	uint32_t records; /* events, more or less */
	uint32_t clock, processor; /* milliseconds that it took */
};

struct norn_script {
	struct norn_arena arena;
	const char *id, *title, *command, *property;
	struct norn_script_unit *units;
	struct norn_script_site *sites;
	struct norn_script_role *roles;
	struct norn_script_node *nodes;
	struct norn_script_act *acts;
	uint32_t *afters;
	uint32_t unit_count, site_count, role_count, node_count, act_count, after_count;
	uint32_t unit_room, site_room, role_room, node_room, act_room, after_room;
	struct norn_script_pace pace;
	enum norn_scene_end end;
	uint32_t stops[NORN_STAGE_STOPS], stop_count;
	uint32_t first, second; /* acts that the error is of, too, and that have happened before the stops; NORN_STAGE_NONE: none */
};

void norn_script_init(struct norn_script *script);
void norn_script_done(struct norn_script *script);

/* Each adds one and gives its number; -ENOMEM. Texts are copied. */
int norn_script_add_unit(struct norn_script *script, const struct norn_script_unit *unit, uint32_t *ret_number);
int norn_script_add_site(struct norn_script *script, const struct norn_script_site *site, uint32_t *ret_number);
/* Also its node; before all calls. Its parent must be there: -EINVAL if it is not, or the path is none. */
int norn_script_add_role(struct norn_script *script, const char *path, uint32_t *ret_number);
int norn_script_add_call(struct norn_script *script, const struct norn_script_node *node, uint32_t *ret_number);
/* What it comes after is what was added by norn_script_add_after since the last act. */
int norn_script_add_act(struct norn_script *script, const struct norn_script_act *act, uint32_t *ret_number);
int norn_script_add_after(struct norn_script *script, uint32_t act);

void norn_script_write(const struct norn_script *script, FILE *to);
/* -errno, and the file, line and reason. script is initialised by this; done must be called in any case. */
int norn_script_read(const char *path, struct norn_script *script, struct norn_error *err);

/* An act in words: "main/1: write x at a.c:12 (f)". */
void norn_script_describe(const struct norn_script *script, uint32_t act, char *text, size_t room);

/* The stage of a script, in memory from calloc; ret_parts->stage->bytes of it. -ENOMEM. */
int norn_script_stage(const struct norn_script *script, struct norn_stage_parts *ret_parts);

#endif
