/* Schedules: predicted runs as a program can take them, and their text, the schedule file (docs/confirm.md).
 *
 * A schedule lists the steps of threads (replay_area.h) that matter to a predicted run, and which of them come after which; what is
 * not listed runs free. Threads are named by their path of creation, places by their site, calls and steps by how often the same
 * came before: never by address. Steps are in the order of the predicted run, and come after earlier ones only. The schedule owns
 * all that is in it. */
#ifndef NORN_CONFIRM_SCHEDULE_FILE_H
#define NORN_CONFIRM_SCHEDULE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "confirm/replay_area.h"

struct norn_schedule_file_unit {
	const char *source;
	uint64_t hash; /* of its table: norn_replay_area_table_hash */
	uint32_t sites;
	const char *library; /* that it is in; "": the executable */
};

struct norn_schedule_file_site {
	uint32_t unit, index;
	const char *file, *function;
	unsigned line, column;
};

struct norn_schedule_file_thread {
	const char *path;
	uint32_t parent, ordinal; /* NORN_REPLAY_AREA_NONE: main */
};

/* A node of the tree of calls. The first nodes are those of the threads, one for each; the others are calls. */
struct norn_schedule_file_node {
	uint32_t thread, parent;
	uint32_t call, entry; /* 1 + site, 0: unknown */
	uint32_t time; /* which call of its kind in the parent, from 1; 0: the node of a thread */
};

struct norn_schedule_file_step {
	uint32_t thread, node;
	uint32_t site; /* 1 + number, 0: none */
	uint32_t operation, time;
	bool hold; /* the step must not happen: its thread is held there */
	const char *what; /* variable or lock, "" if unknown */
	uint32_t after, after_count; /* in afters: the steps that must come before this one */
};

/* Of a schedule that is kept as a test: a place of its error. */
struct norn_schedule_file_place {
	const char *event, *what, *function; /* as the finding has them: "write", "transfers", "transfer" */
};

/* The pace of the recorded run, by which a stuck replay is recognised. All 0: unknown. */
struct norn_schedule_file_pace {
	uint32_t records; /* events, more or less */
	uint32_t clock, processor; /* milliseconds that it took */
};

#define NORN_SCHEDULE_FILE_CYCLE 8u

struct norn_schedule_file {
	struct norn_arena arena;
	const char *id, *title, *command, *property;
	/* Of a schedule that is kept as a test (norn confirm --save), else "" and 0: the error, by which another build is judged.
	 * */
	const char *fingerprint, *kind, *variable;
	uint32_t error_threads; /* how many threads take part in the error */
	bool infer; /* the error was found by norn check --infer-atomicity */
	NORN_VECTOR(const char *)
	sources; /* lines of the file of properties; none if there is no such file, or it includes others */
	NORN_VECTOR(struct norn_schedule_file_place) places;
	NORN_VECTOR(struct norn_schedule_file_unit) units;
	NORN_VECTOR(struct norn_schedule_file_site) sites;
	NORN_VECTOR(struct norn_schedule_file_thread) threads;
	NORN_VECTOR(struct norn_schedule_file_node) nodes;
	NORN_VECTOR(struct norn_schedule_file_step) steps;
	struct norn_numbers afters;
	struct norn_schedule_file_pace pace;
	enum norn_replay_end end;
	uint32_t stops[NORN_REPLAY_AREA_STOPS], stop_count;
	uint32_t first, second; /* steps of the error that happen before the stops; NORN_REPLAY_AREA_NONE: none */
	/* TORN: the steps of a cycle; neighbours of different threads access the same memory. Older files have first and second
	 * instead. */
	uint32_t cycle[NORN_SCHEDULE_FILE_CYCLE], cycle_count;
};

void norn_schedule_file_init(struct norn_schedule_file *schedule);
void norn_schedule_file_done(struct norn_schedule_file *schedule);

/* Each adds one and gives its number. Texts are copied. */
uint32_t norn_schedule_file_add_unit(struct norn_schedule_file *schedule, const struct norn_schedule_file_unit *unit);
uint32_t norn_schedule_file_add_site(struct norn_schedule_file *schedule, const struct norn_schedule_file_site *site);
/* Also its node; before all calls. Its parent must be there: -EINVAL if it is not, or the path is none. */
int norn_schedule_file_add_thread(struct norn_schedule_file *schedule, const char *path, uint32_t *ret_number);
uint32_t norn_schedule_file_add_call(struct norn_schedule_file *schedule, const struct norn_schedule_file_node *node);
/* Its predecessors are those added by norn_schedule_file_add_after since the last step. */
uint32_t norn_schedule_file_add_step(struct norn_schedule_file *schedule, const struct norn_schedule_file_step *step);
void norn_schedule_file_add_after(struct norn_schedule_file *schedule, uint32_t step);

/* Of one that is kept. Texts are copied. */
void norn_schedule_file_add_place(struct norn_schedule_file *schedule, const struct norn_schedule_file_place *place);
void norn_schedule_file_add_source(struct norn_schedule_file *schedule, const char *line);

void norn_schedule_file_write(const struct norn_schedule_file *schedule, FILE *to);
/* -errno, and the file, line and reason. schedule is initialised by this; done must be called in any case. */
int norn_schedule_file_read(const char *path, struct norn_schedule_file *schedule, struct norn_error *err);

/* A step in words: "main/1: write x at a.c:12 (f)". */
void norn_schedule_file_describe(const struct norn_schedule_file *schedule, uint32_t step, char *text, size_t room);

/* The area of a schedule, in memory from calloc; ret_parts->head->bytes of it. */
void norn_schedule_file_lay_out(const struct norn_schedule_file *schedule, struct norn_replay_area_parts *ret_parts);

#endif
