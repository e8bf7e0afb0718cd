#include "report/sarif.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/json_string.h"
#include "report/kind_texts.h"
#include "report/witness_columns.h"

struct sarif {
	FILE *to;
	const char *root;
	const struct norn_findings *findings; /* they know where source files are; NULL: names are paths */
};

/* A file as a URI: relative to the root if it is below it. */
static void put_uri(const struct sarif *s, const char *file)
{
	size_t length = strlen(s->root);
	file = s->findings ? norn_findings_path(s->findings, file) : file;
	bool below = length > 1 && strncmp(file, s->root, length) == 0 && file[length] == '/';
	const char *at = below ? file + length + 1 : file;
	bool relative = *at != '/';
	fprintf(s->to, "\"uri\":\"%s", relative ? "" : "file://");
	for (; *at; at++)
		if (strchr("/-._~", *at) || (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z'))
			fputc(*at, s->to);
		else
			fprintf(s->to, "%%%02X", (unsigned char)*at);
	fputs(relative ? "\",\"uriBaseId\":\"SRCROOT\"" : "\"", s->to);
}

static void put_message(const struct sarif *s, const char *text)
{
	fputs("\"message\":{", s->to);
	norn_put_field(s->to, "text", text);
	fputc('}', s->to);
}

/* A place without its file is named by its function alone. number: by which a message links to it; 0: none does. */
static void put_numbered_location(const struct sarif *s, const struct norn_step_text *step, const char *text, unsigned number)
{
	const char *before = "{";
	if (number) {
		fprintf(s->to, "{\"id\":%u", number);
		before = ",";
	}
	if (*step->file) {
		fprintf(s->to, "%s\"physicalLocation\":{\"artifactLocation\":{", before);
		put_uri(s, step->file);
		fputc('}', s->to);
		if (step->line)
			fprintf(s->to, ",\"region\":{\"startLine\":%u}", step->line);
		fputc('}', s->to);
		before = ",";
	}
	if (*step->function) {
		fprintf(s->to, "%s\"logicalLocations\":[{", before);
		norn_put_field(s->to, "name", step->function);
		fputs(",\"kind\":\"function\"}]", s->to);
		before = ",";
	}
	fputs(text ? before : strcmp(before, "{") == 0 ? before : "", s->to);
	if (text)
		put_message(s, text);
	fputc('}', s->to);
}

static void put_location(const struct sarif *s, const struct norn_step_text *step, const char *text)
{
	put_numbered_location(s, step, text, 0);
}

/* ---- the run that leads to it ---- */

static void put_flow_step(const struct sarif *s, const struct norn_finding *f, uint32_t i)
{
	char text[300];
	uint32_t stops = f->stop_count ? f->stop_count : 1;
	norn_step_describe(&f->witness[i], text, sizeof text);
	fputs("{\"location\":", s->to);
	put_location(s, &f->witness[i], text);
	fprintf(s->to, ",\"executionOrder\":%u,\"importance\":\"%s\"}", norn_step_number(f, i),
	        i + stops >= f->witness_count ? "essential" : "important");
}

/* True if a thread had a step before this one. */
static bool came_before(const struct norn_finding *f, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (f->witness[k].number && strcmp(f->witness[k].thread, f->witness[i].thread) == 0)
			return true;
	return false;
}

static void put_flow(const struct sarif *s, const struct norn_finding *f)
{
	bool first = true;
	for (uint32_t i = 0; i < f->witness_count; i++) {
		if (!f->witness[i].number || came_before(f, i)) /* the start of the run is no step */
			continue;
		fputs(first ? ",\"codeFlows\":[{\"threadFlows\":[{" : ",{", s->to);
		norn_put_field(s->to, "id", f->witness[i].thread);
		fputc(',', s->to);
		put_message(s, *f->witness[i].thread_name ? f->witness[i].thread_name : f->witness[i].thread);
		fputs(",\"locations\":[", s->to);
		for (uint32_t k = i; k < f->witness_count; k++)
			if (f->witness[k].number && strcmp(f->witness[k].thread, f->witness[i].thread) == 0) {
				fputs(k > i ? ",\n   " : "\n   ", s->to);
				put_flow_step(s, f, k);
			}
		fputs("]}", s->to);
		first = false;
	}
	fputs(first ? "" : "]}]", s->to);
}

static void put_stacks(const struct sarif *s, const struct norn_finding *f)
{
	char text[300];
	fputs(",\"stacks\":[", s->to);
	for (uint32_t i = 0; i < f->where_count; i++) {
		const struct norn_side *side = &f->sides[i];
		snprintf(text, sizeof text, "%s in thread %s", f->where[i].event, f->where[i].thread);
		fputs(i ? ",{" : "{", s->to);
		put_message(s, text);
		fputs(",\"frames\":[{\"location\":", s->to);
		put_location(s, &f->where[i], NULL);
		for (uint32_t k = 0; k < side->frame_count; k++) {
			fputs("},{\"location\":", s->to);
			put_location(s, &side->frames[k], NULL);
		}
		fputs("}]}", s->to);
	}
	fputc(']', s->to);
}

/* ---- results ---- */

/* Text in a message: brackets begin links there. */
static void put_plain(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (strchr("[]\\", *text))
			fputc('\\', to);
		fputc(*text, to);
	}
}

/* The finding's message, with a link to each other thread's place. */
static void put_result_message(const struct sarif *s, const struct norn_finding *f)
{
	char *text = f->sides ? norn_must_format("%s (%s): %s", f->outcome, f->status, f->message)
	                      : norn_must_format("property %s is %s (%s)%s%s", f->property, f->outcome, f->status,
	                                *f->message ? ": " : "", f->message);
	char *whole = NULL;
	size_t bytes;
	FILE *to = norn_must(open_memstream(&whole, &bytes));
	put_plain(to, text);
	if (f->consequence) {
		fputs(". What it leads to: ", to);
		put_plain(to, f->consequence);
	}
	if (f->before_set) {
		fputs(". Hint: ", to);
		put_plain(to, f->before_set);
	}
	if (f->fix) {
		fputs(". What helps (checked on the recorded run): ", to);
		put_plain(to, f->fix);
	}
	if (f->aftermath) {
		fputs(". Confirmed: ", to);
		put_plain(to, f->aftermath);
	}
	for (uint32_t i = 1; i < f->where_count; i++) {
		fputs(i == 1 ? ". The other side: [" : ", [", to);
		put_plain(to, f->where[i].thread);
		fprintf(to, "](%u)", i);
	}
	norn_must_close(to);
	put_message(s, whole);
	free(whole);
	free(text);
}

/* The location of a finding: its last place for a property, all of them otherwise. The first is the one that is shown. */
static void put_places(const struct sarif *s, const struct norn_finding *f)
{
	if (!f->where_count)
		return;
	fputs(",\"locations\":[", s->to);
	const struct norn_step_text first = norn_finding_own_where(f, 0);
	put_location(s, &first, NULL);
	fputs("],\"relatedLocations\":[", s->to);
	for (uint32_t i = 1; i < f->where_count; i++) {
		char text[300];
		snprintf(text, sizeof text, "%s by thread %s", f->where[i].event, f->where[i].thread);
		fputs(i > 1 ? "," : "", s->to);
		const struct norn_step_text own = norn_finding_own_where(f, i);
		put_numbered_location(s, &own, text, i);
	}
	fputc(']', s->to);
}

static void put_result(const struct sarif *s, const struct norn_finding *f)
{
	fprintf(s->to, "{\"ruleId\":\"norn/%s\",\"ruleIndex\":%u,\"kind\":\"fail\",\"level\":\"%s\",",
	        norn_finding_kind_name(f->kind), (unsigned)f->kind,
	        strcmp(f->status, "suspected") == 0   ? "note"
	        : strcmp(f->status, "potential") == 0 ? "warning"
	                                              : "error");
	put_result_message(s, f);
	if (f->baseline)
		fprintf(s->to, ",\"baselineState\":\"%s\"", f->baseline == NORN_BASELINE_KNOWN ? "unchanged" : "new");
	put_places(s, f);
	fputs(",\"partialFingerprints\":{", s->to);
	norn_put_field(s->to, "norn/v1", f->id);
	if (f->fingerprint) { /* by the second name GitHub tells alerts apart */
		fputc(',', s->to);
		norn_put_field(s->to, "norn/functions/v1", f->fingerprint);
		fputc(',', s->to);
		norn_put_field(s->to, "primaryLocationLineHash", f->fingerprint);
	}
	fprintf(s->to, "},\"occurrenceCount\":%" PRIu64, f->count ? f->count : 1);
	put_flow(s, f);
	if (f->sides)
		put_stacks(s, f);
	fputs(",\"properties\":{", s->to);
	norn_put_field(s->to, "status", f->status);
	fputc(',', s->to);
	norn_put_field(s->to, "causality", f->causality);
	fputc(',', s->to);
	norn_put_field(s->to, "variable", f->variable);
	fputs("}}", s->to);
}

static void put_rule_text(const struct sarif *s, const char *name, const char *text)
{
	fprintf(s->to, ",\"%s\":{", name);
	norn_put_field(s->to, "text", text);
	fputc('}', s->to);
}

/* The address of a document; nothing if the documents have none. */
static void put_address(const struct sarif *s, const char *name, const char *docs, const char *file, const char *section)
{
	if (!*docs)
		return;
	char *uri = norn_must_format("%s/%s%s%s", docs, file, *section ? "#" : "", section);
	fputc(',', s->to);
	norn_put_field(s->to, name, uri);
	free(uri);
}

static void put_rules(const struct sarif *s, const char *docs)
{
	for (unsigned i = 0; i < NORN_FINDING_KINDS; i++) {
		const struct norn_kind_text *kind = norn_kind_text(i);
		char *whole = norn_must_format("%s %s", kind->summary, kind->harm);
		fprintf(s->to, "%s{\"id\":\"norn/%s\",", i ? ",\n " : "\n ", norn_finding_kind_name(i));
		norn_put_field(s->to, "name", kind->name);
		put_rule_text(s, "shortDescription", kind->summary);
		put_rule_text(s, "fullDescription", whole);
		put_rule_text(s, "help", kind->help);
		put_address(s, "helpUri", docs, "findings.md", kind->section);
		fprintf(s->to,
		        ",\"defaultConfiguration\":{\"level\":\"error\"},\"properties\":{\"precision\":\"very-high\","
		        "\"problem.severity\":\"error\",\"tags\":[\"concurrency\",\"correctness\"%s]}}",
		        kind->security ? ",\"security\"" : "");
		free(whole);
	}
}

void norn_report_sarif(const struct norn_findings *findings, const struct norn_sarif_about *about, FILE *to)
{
	const struct sarif s = {to, about->root, findings};
	char base[PATH_MAX + 1];
	fputs("{\"$schema\":\"https://json.schemastore.org/"
	      "sarif-2.1.0.json\",\"version\":\"2.1.0\",\n\"runs\":[{\"tool\":{\"driver\":{",
	        to);
	norn_put_field(to, "name", "Norn");
	fputc(',', to);
	norn_put_field(to, "version", about->version);
	fputc(',', to);
	norn_put_field(to, "semanticVersion", about->version);
	put_address(&s, "informationUri", about->docs, "README.md", "");
	fputs(",\"rules\":[", to);
	put_rules(&s, about->docs);
	fputs("]}},\n\"originalUriBaseIds\":{\"SRCROOT\":{", to);
	snprintf(base, sizeof base, "%s/", about->root); /* the base of relative names ends with a slash */
	put_uri(&(struct sarif){to, "", NULL}, base);
	fprintf(to, "}},\n\"invocations\":[{\"executionSuccessful\":true,\"properties\":{\"complete\":%s}",
	        findings->stats.complete ? "true" : "false");
	fputs(",\"toolExecutionNotifications\":[", to);
	for (uint32_t i = 0; i < findings->note_count; i++) {
		fputs(i ? ",{" : "{", to);
		put_message(&s, findings->notes[i]);
		fputs(",\"level\":\"note\"}", to);
	}
	for (uint32_t i = 0; i < findings->reason_count; i++) {
		char *sentence = norn_reason_sentence(&findings->reasons[i]);
		fputs(i + findings->note_count ? ",{" : "{", to);
		put_message(&s, sentence);
		fputs(",\"level\":\"warning\"}", to);
		free(sentence);
	}
	fputs("]}],\n\"results\":[", to);
	for (uint32_t i = 0; i < findings->count; i++) {
		fputs(i ? ",\n " : "\n ", to);
		put_result(&s, &findings->list[i]);
	}
	fputs("]}]}\n", to);
}
