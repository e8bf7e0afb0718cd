#include "report/dot.h"

#include <inttypes.h>

static void put_text(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
}

static void put_node(const struct norn_lattice_picture *p, uint32_t i, FILE *to)
{
	const struct norn_lattice_picture_node *n = &p->nodes[i];
	fprintf(to, "\t\tn%u [label=\"", i);
	for (uint32_t t = 0; t < p->threads; t++)
		fprintf(to, "%s%u", t ? "," : "S", n->cut[t]);
	if (*n->state) {
		fputs("\\n<", to);
		put_text(to, n->state);
		fputc('>', to);
	}
	fprintf(to, "\"%s];\n", n->violated ? ", color=red" : "");
}

static const char *edge_style(const struct norn_lattice_picture_edge *e)
{
	if (e->observed && e->violating)
		return ", color=\"blue:red\", penwidth=2";
	return e->violating ? ", color=red, penwidth=2" : e->observed ? ", color=blue, penwidth=2" : "";
}

void norn_report_dot(const struct norn_lattice_picture *p, FILE *to)
{
	fputs("digraph \"", to);
	put_text(to, p->property);
	fputs("\" {\n\tlabel=\"", to);
	put_text(to, p->property);
	if (*p->key) {
		fputs(", ", to);
		put_text(to, p->key);
	}
	if (*p->variables) {
		fputs(": <", to);
		put_text(to, p->variables);
		fputc('>', to);
	}
	fputs("\";\n\tnode [shape=box];\n", to);
	for (uint32_t i = 0; i < p->node_count;) {
		uint32_t level = p->nodes[i].level;
		fputs("\t{\n\t\trank=same;\n", to);
		for (; i < p->node_count && p->nodes[i].level == level; i++)
			put_node(p, i, to);
		fputs("\t}\n", to);
	}
	for (uint32_t i = 0; i < p->edge_count; i++) {
		fprintf(to, "\tn%u -> n%u [label=\"", p->edges[i].from, p->edges[i].to);
		put_text(to, p->edges[i].event);
		fprintf(to, "\"%s];\n", edge_style(&p->edges[i]));
	}
	fputs("}\n", to);
}
