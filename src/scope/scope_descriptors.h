/* A scope and its machines as tables (descriptor.h); the root is a struct norn_plan_root with the scope. In a plan the scope
 * comes first. */
#ifndef NORN_SCOPE_SCOPE_DESCRIPTORS_H
#define NORN_SCOPE_SCOPE_DESCRIPTORS_H

#include "base/wire/descriptor.h"

extern const struct norn_descriptor norn_scope_descriptor; /* struct norn_scope */
extern const struct norn_descriptor norn_scope_machines_descriptor; /* struct norn_scope_machines, without the scope */

#endif
