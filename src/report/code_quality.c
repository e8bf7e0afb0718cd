#include "report/code_quality.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/json_string.h"

static const char *severity_of(const struct norn_finding *f)
{
	if (strcmp(f->status, "suspected") == 0)
		return "info";
	return strcmp(f->status, "potential") == 0 ? "minor" : "critical";
}

static void put_issue(const struct norn_findings *findings, const struct norn_finding *f, const char *root, FILE *to)
{
	const struct norn_step_text at = norn_finding_own_where(f, 0);
	const char *path = norn_findings_path(findings, at.file);
	size_t length = strlen(root);
	bool below = length > 1 && strncmp(path, root, length) == 0 && path[length] == '/';
	char *what = f->sides ? norn_must_format("%s (%s): %s", f->outcome, f->status, f->message)
	                      : norn_must_format("property %s is %s (%s)", f->property, f->outcome, f->status);
	fputs("{", to);
	norn_put_field(to, "description", what);
	fputc(',', to);
	norn_put_field(to, "check_name", norn_finding_kind_name(f->kind));
	fputc(',', to);
	norn_put_field(to, "fingerprint", f->fingerprint ? f->fingerprint : f->id);
	fputc(',', to);
	norn_put_field(to, "severity", severity_of(f));
	fputs(",\"location\":{", to);
	norn_put_field(to, "path", below ? path + length + 1 : path);
	fprintf(to, ",\"lines\":{\"begin\":%u}}}", at.line ? at.line : 1);
	free(what);
}

void norn_report_code_quality(const struct norn_findings *findings, const char *root, FILE *to)
{
	bool any = false;
	fputc('[', to);
	for (uint32_t i = 0; i < findings->count; i++) {
		const struct norn_finding *f = &findings->list[i];
		if (!f->where_count || !*f->where[0].file)
			continue; /* an issue without a place is refused */
		fputs(any ? ",\n " : "\n ", to);
		put_issue(findings, f, root, to);
		any = true;
	}
	fputs("]\n", to);
}
