#include "jobs/processes/judged_early.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/must.h"

void norn_judged_early_done(struct norn_judged_early *early)
{
	for (uint32_t i = 0; i < early->traces.count; i++) {
		struct norn_early_trace *trace = &early->traces.items[i];
		norn_findings_done(&trace->findings);
		free(trace->executable);
		free(trace->said);
	}
	norn_vector_done(&early->traces);
}

bool norn_judged_early_keep(struct norn_judged_early *early, const char *path, const struct norn_early_trace *trace)
{
	struct norn_early_trace kept = *trace;
	struct stat st;
	if (stat(path, &st) != 0)
		return false;
	kept.device = st.st_dev;
	kept.inode = st.st_ino;
	norn_must_push(&early->traces, kept);
	return true;
}

struct norn_early_trace *norn_judged_early_get(struct norn_judged_early *early, const char *path)
{
	struct stat st;
	if (!early || stat(path, &st) != 0)
		return NULL;
	for (uint32_t i = 0; i < early->traces.count; i++)
		if (early->traces.items[i].device == st.st_dev && early->traces.items[i].inode == st.st_ino)
			return &early->traces.items[i];
	return NULL;
}
