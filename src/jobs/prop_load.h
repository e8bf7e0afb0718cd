/* A property file, read and checked: the one way by which commands open them. */
#ifndef NORN_JOBS_PROP_LOAD_H
#define NORN_JOBS_PROP_LOAD_H

#include "property/property.h"
#include "property/source_text.h"

struct norn_prop_file {
	struct norn_program *program; /* NULL, or one that norn_prop_load opened for this file */
	struct norn_sources *sources;
	struct norn_tree *tree;
	struct norn_spec *spec;
};

/* Says what is wrong, and returns the exit status: 0 or 2. program may be NULL. A mistake anywhere in the file counts. */
int norn_prop_load(struct norn_prop_file *file, const char *path, const char *program);
/* The same, against a program that is open and stays the caller's, or NULL. Warnings are shown, too. */
int norn_prop_open(struct norn_prop_file *file, const char *path, const struct norn_program *program);
/* The same; a file without properties is a mistake. */
int norn_prop_load_for(struct norn_prop_file *file, const char *path, const struct norn_program *program);
void norn_prop_unload(struct norn_prop_file *file); /* also one that is all zero, or failed to load */

/* Shows all diagnostics on stderr, and how many errors there were if there were any. Returns the exit status: 0 or 2. */
int norn_prop_show_diagnostics(const struct norn_sources *sources);

/* The property of that name, of a logic that has a monitor of its own; NULL: it was said why not. what: "explained", "tried". */
const struct norn_property *norn_prop_find(const struct norn_prop_file *file, const char *path, const char *name, const char *what);

#endif
