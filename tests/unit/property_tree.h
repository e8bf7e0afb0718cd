/* Syntax trees as text that shows all there is in them but spans: two trees are equal if their texts are. For tests. */
#ifndef NORN_TESTS_PROP_TREE_H
#define NORN_TESTS_PROP_TREE_H

#include "property/ast.h"

/* malloc'ed; abort for lack of memory. */
char *prop_tree_dump(const struct norn_tree *tree);
char *prop_tree_dump_form(const struct norn_form *form);
char *prop_tree_dump_rex(const struct norn_rex *rex);

#endif
