#include "cli/cc/cc_only.h"

#include <stdlib.h>

#include "base/must.h"
#include "jobs/prop_load.h"
#include "jobs/say.h"
#include "property/hook_needs.h"

static int read_file(struct norn_needs *needs, const char *path)
{
	struct norn_prop_file file;
	int status = norn_prop_load(&file, path, NULL);
	if (status != NORN_EXIT_OK)
		return status;
	norn_needs_add(needs, file.spec);
	norn_prop_unload(&file);
	return status;
}

int norn_cc_only(const char *const *props, unsigned count)
{
	struct norn_needs needs = {0};
	int status = NORN_EXIT_OK;
	for (unsigned i = 0; status == NORN_EXIT_OK && i < count; i++)
		status = read_file(&needs, props[i]);
	char *text = norn_needs_text(&needs);
	if (status == NORN_EXIT_OK && setenv("NORN_ONLY", text, 1) != 0)
		norn_out_of_memory();
	free(text);
	norn_needs_done(&needs);
	return status;
}
