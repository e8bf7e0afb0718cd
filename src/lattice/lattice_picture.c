#include "lattice/lattice_picture.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

void norn_lattice_picture_init(struct norn_lattice_picture *picture)
{
	*picture = (struct norn_lattice_picture){.property = "", .key = "", .variables = ""};
}

void norn_lattice_picture_done(struct norn_lattice_picture *p)
{
	free(p->nodes);
	free(p->edges);
	norn_arena_done(&p->arena);
	norn_lattice_picture_init(p);
}

/* Cuts are few: those of one level lie together at the end, or shortly before it. */
static uint32_t find(const struct norn_lattice_picture *p, uint32_t level, const uint32_t *cut)
{
	for (uint32_t i = p->node_count; i-- > 0;)
		if (p->nodes[i].level == level && memcmp(p->nodes[i].cut, cut, p->threads * sizeof *cut) == 0)
			return i;
	return UINT32_MAX;
}

uint32_t norn_lattice_picture_cut(struct norn_lattice_picture *p, uint32_t level, const uint32_t *cut)
{
	uint32_t at = find(p, level, cut);
	if (at != UINT32_MAX)
		return at;
	if (p->node_count == (p->most ? p->most : NORN_LATTICE_PICTURE_CUTS)) {
		p->too_large = true;
		return UINT32_MAX;
	}
	norn_must_grow(&p->nodes, p->node_count + UINT64_C(1), &p->node_room, sizeof *p->nodes);
	uint32_t *copy = norn_must_arena_alloc(&p->arena, p->threads * sizeof *copy);
	memcpy(copy, cut, p->threads * sizeof *copy);
	p->nodes[p->node_count] = (struct norn_lattice_picture_node){.level = level, .cut = copy, .state = ""};
	return p->node_count++;
}

void norn_lattice_picture_connect(struct norn_lattice_picture *p, uint32_t from, uint32_t to, const char *event)
{
	norn_must_grow(&p->edges, p->edge_count + UINT64_C(1), &p->edge_room, sizeof *p->edges);
	p->edges[p->edge_count++] = (struct norn_lattice_picture_edge){.from = from, .to = to, .event = event};
}

void norn_lattice_picture_follow(struct norn_lattice_picture *p, const uint32_t *threads, uint32_t count, bool violating)
{
	uint32_t *cut = norn_must_calloc(p->threads, sizeof *cut);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t from = find(p, i, cut);
		cut[threads[i]]++;
		uint32_t to = find(p, i + 1, cut);
		for (uint32_t e = 0; e < p->edge_count; e++)
			if (p->edges[e].from == from && p->edges[e].to == to) {
				p->edges[e].observed |= !violating;
				p->edges[e].violating |= violating;
			}
	}
	free(cut);
}
