/* A property file, read and checked, for commands that need it whole. */
#ifndef NORN_JOBS_PROP_LOAD_H
#define NORN_JOBS_PROP_LOAD_H

#include "property/property.h"
#include "property/source_text.h"

struct norn_prop_file {
	struct norn_program *program;
	struct norn_sources *sources;
	struct norn_tree *tree;
	struct norn_spec *spec;
};

/* Says what is wrong, and returns the exit status: 0 or 2. program may be NULL. A mistake anywhere in the file counts. */
int norn_prop_load(struct norn_prop_file *file, const char *path, const char *program);
void norn_prop_unload(struct norn_prop_file *file);

/* Shows all complaints on stderr, and how many errors there were if there were any. Returns the exit status: 0 or 2. */
int norn_prop_show_complaints(const struct norn_sources *sources);

/* The property of that name, of a logic that has a monitor of its own; NULL: it was said why not. what: "explained", "tried". */
const struct norn_property *norn_prop_find(const struct norn_prop_file *file, const char *path, const char *name, const char *what);

#endif
