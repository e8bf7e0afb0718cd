#include "report/html/judged_section.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "finding/judged_pairs.h"
#include "report/html/markup.h"
#include "report/judged_text.h"

#define SHOWN 500u /* pairs and functions, so that pages stay small */
#define OPEN 20u /* of the pairs, without being asked */

static void put_cell(const char *text, FILE *to)
{
	fputs("<td>", to);
	norn_html_put(to, text);
	fputs("</td>", to);
}

static void put_rest(uint32_t count, FILE *to)
{
	if (count > SHOWN)
		fprintf(to, "<p class=soft>and %u more, which the JSON has</p>\n", count - SHOWN);
}

static void put_pair(const struct norn_judged_pair *pair, FILE *to)
{
	char *places = norn_judged_places_text(pair);
	fputs("<tr>", to);
	put_cell(norn_pair_verdict_name(norn_pair_verdict_of(pair->reason)), to);
	put_cell(norn_judged_variable_text(pair->variable), to);
	put_cell(places, to);
	fprintf(to, "<td>%" PRIu64 "</td>", pair->meetings);
	put_cell(*pair->finding ? pair->finding : norn_pair_reason_text(pair->reason), to);
	fputs("</tr>\n", to);
	free(places);
}

static void put_table(const struct norn_judged_pairs *j, uint32_t from, uint32_t end, FILE *to)
{
	fputs("<table><thead><tr><th>verdict<th>variable<th>places<th>met<th>why</thead><tbody>\n", to);
	for (uint32_t i = from; i < end; i++)
		put_pair(&j->list.items[i], to);
	fputs("</tbody></table>\n", to);
}

/* The most important are there at once, the others behind a line. */
static void put_pairs(const struct norn_judged_pairs *j, FILE *to)
{
	uint32_t count = j->list.count < SHOWN ? j->list.count : SHOWN, open = count < OPEN ? count : OPEN;
	put_table(j, 0, open, to);
	if (count == open)
		return;
	fprintf(to, "<details><summary>%u more pairs</summary>\n", j->list.count - open);
	put_table(j, open, count, to);
	put_rest(j->list.count, to);
	fputs("</details>\n", to);
}

static void put_alone(const struct norn_judged_pairs *j, FILE *to)
{
	fputs("<p>" NORN_JUDGED_ALONE "</p>\n<p class=soft>", to);
	for (uint32_t i = 0; i < j->alone && i < SHOWN; i++) {
		fputs(i ? ", " : "", to);
		norn_html_put(to, j->functions.items[i].name);
	}
	fputs("</p>\n", to);
	put_rest(j->alone, to);
}

void norn_html_judged(const struct norn_findings *findings, FILE *to)
{
	const struct norn_judged_pairs *j = findings->judged;
	if (!j)
		return;
	char *sentence = norn_judged_sentence(j);
	fputs("<section id=coverage>\n<h2>What was judged and what was not</h2>\n<p>", to);
	norn_html_put(to, sentence);
	fputs("</p>\n", to);
	free(sentence);
	if (j->list.count)
		put_pairs(j, to);
	if (j->alone)
		put_alone(j, to);
	fputs("</section>\n", to);
}
