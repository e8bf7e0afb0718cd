#include "report/html/lattice_figure.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/text/printable.h"
#include "report/html/markup.h"

#define NODE_WIDTH 96u
#define NODE_HEIGHT 36u
#define COLUMN 116u
#define STATE_LETTERS 12u /* that fit into a node */
#define ROW 70u

struct lattice_place {
	unsigned x, y; /* of the middle */
};

/* Levels are rows, each in the middle. */
static void find_places(
        const struct norn_lattice_picture *p, struct lattice_place *places, unsigned *ret_width, unsigned *ret_height)
{
	unsigned counts[NORN_LATTICE_PICTURE_SMALL + 1] = {0}, used[NORN_LATTICE_PICTURE_SMALL + 1] = {0}, widest = 1, levels = 0;
	for (uint32_t i = 0; i < p->node_count; i++) {
		uint32_t level = p->nodes[i].level;
		assert(level <= NORN_LATTICE_PICTURE_SMALL); /* each level below has a cut, too */
		widest = ++counts[level] > widest ? counts[level] : widest;
		levels = level + 1 > levels ? level + 1 : levels;
	}
	for (uint32_t i = 0; i < p->node_count; i++) {
		uint32_t level = p->nodes[i].level;
		unsigned left = (widest - counts[level]) * COLUMN / 2;
		places[i] = (struct lattice_place){left + used[level]++ * COLUMN + COLUMN / 2, level * ROW + ROW / 2};
	}
	*ret_width = widest * COLUMN;
	*ret_height = levels * ROW;
}

/* Names of the program: whatever they are, they are text. */
static void put_words(const char *text, FILE *to)
{
	char *words = norn_printable(text, false);
	norn_html_put(to, words);
	free(words);
}

static void put_title(const char *text, FILE *to)
{
	fputs("<title>", to);
	put_words(text, to);
	fputs("</title>", to);
}

static void put_edges(const struct norn_lattice_picture *p, const struct lattice_place *places, FILE *to)
{
	for (uint32_t i = 0; i < p->edge_count; i++) {
		const struct norn_lattice_picture_edge *e = &p->edges[i];
		const struct lattice_place *a = &places[e->from], *b = &places[e->to];
		fprintf(to, "<line class=\"step%s%s\" x1=%u y1=%u x2=%u y2=%u>", e->observed ? " seen" : "",
		        e->violating ? " violating" : "", a->x, a->y + NODE_HEIGHT / 2, b->x, b->y - NODE_HEIGHT / 2);
		put_title(e->event, to);
		fputs("</line>", to);
	}
}

static void put_nodes(const struct norn_lattice_picture *p, const struct lattice_place *places, FILE *to)
{
	for (uint32_t i = 0; i < p->node_count; i++) {
		const struct norn_lattice_picture_node *n = &p->nodes[i];
		const struct lattice_place *at = &places[i];
		fprintf(to, "<g class=\"cut%s\"><rect x=%u y=%u width=%u height=%u rx=4 />", n->violated ? " violated" : "",
		        at->x - NODE_WIDTH / 2, at->y - NODE_HEIGHT / 2, NODE_WIDTH, NODE_HEIGHT);
		fprintf(to, "<text x=%u y=%u>", at->x, at->y - 3);
		for (uint32_t t = 0; t < p->threads; t++)
			fprintf(to, "%s%u", t ? "," : "S", n->cut[t]);
		fprintf(to, "</text><text x=%u y=%u>", at->x, at->y + 12);
		put_words(strlen(n->state) <= STATE_LETTERS ? n->state : "…", to);
		fputs("</text>", to);
		char *title =
		        norn_must_format("%s = %s%s", p->variables, n->state, n->violated ? "; violated on some path to here" : "");
		put_title(title, to);
		free(title);
		fputs("</g>\n", to);
	}
}

void norn_html_lattice(const struct norn_lattice_picture *p, FILE *to)
{
	struct lattice_place *places = norn_must_calloc(p->node_count, sizeof *places);
	unsigned width, height;
	find_places(p, places, &width, &height);
	fputs("<figure class=lattice><figcaption>the runs that this run stands for: a path from top to bottom each", to);
	if (*p->variables) {
		fputs("; values of ", to);
		put_words(p->variables, to);
	}
	fprintf(to,
	        "</figcaption><div class=canvas><svg width=%u height=%u viewBox=\"0 0 %u %u\" role=img aria-label=\"lattice of %u "
	        "cuts\">\n",
	        width, height, width, height, p->node_count);
	put_edges(p, places, to);
	put_nodes(p, places, to);
	fputs("</svg></div><p class=legend><b class=seen>—</b> the recorded run <b class=violating>—</b> the violating "
	      "one <b class=\"seen violating\">—</b> both</p></figure>\n",
	        to);
	free(places);
}
