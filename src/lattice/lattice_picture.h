/* The picture of a property's lattice: its cuts and how they follow each other, for report/.
 *
 * Made of texts, so that nothing else is needed to draw it. Lattices of more than NORN_LATTICE_PICTURE_CUTS cuts are left out:
 * their pictures could not be read. The picture owns what it holds. */
#ifndef NORN_LATTICE_LATTICE_PICTURE_H
#define NORN_LATTICE_LATTICE_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define NORN_LATTICE_PICTURE_CUTS 2000u
#define NORN_LATTICE_PICTURE_SMALL 40u /* cuts of one that fits into a page */

struct norn_lattice_picture_node {
	uint32_t level;
	uint32_t *cut; /* events per thread */
	const char *state; /* values of the property's variables there: "0,1,1"; "" if it has none */
	bool violated; /* on some path to here */
};

struct norn_lattice_picture_edge {
	uint32_t from, to; /* nodes */
	const char *event; /* its text: "approved = 1" */
	bool observed, violating; /* a step of the observed run; of the violating one that was found */
};

struct norn_lattice_picture {
	struct norn_arena arena;
	const char *property;
	const char *key; /* of the instance, "" if none */
	const char *variables; /* names of the values: "landing,approved,radio" */
	uint32_t threads;
	struct norn_lattice_picture_node *nodes; /* by level */
	uint32_t node_count, node_room;
	struct norn_lattice_picture_edge *edges;
	uint32_t edge_count, edge_room;
	uint32_t most; /* cuts; 0: NORN_LATTICE_PICTURE_CUTS */
	bool too_large;
};

void norn_lattice_picture_init(struct norn_lattice_picture *picture);
void norn_lattice_picture_done(struct norn_lattice_picture *picture);

/* The node of a cut, made if it is not there; UINT32_MAX: the picture is too large. */
uint32_t norn_lattice_picture_cut(struct norn_lattice_picture *picture, uint32_t level, const uint32_t *cut);
void norn_lattice_picture_connect(struct norn_lattice_picture *picture, uint32_t from, uint32_t to, const char *event);
/* Marks the path of a run from the empty cut: threads[i] is whose event comes next. */
void norn_lattice_picture_follow(struct norn_lattice_picture *picture, const uint32_t *threads, uint32_t count, bool violating);

#endif
