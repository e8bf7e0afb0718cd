#include "monitor/explain/phrase.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

#define LINE 96 /* columns of a line */
#define INDENT 2u

/* ---- formulas ---- */

static bool is_event(const struct norn_spec *spec, const struct norn_form *form)
{
	const struct norn_lval *lval = form->kind == NORN_FORM_NAME ? form->lval : NULL;
	if (!lval || lval->steps || lval->file || lval->tagged || lval->function.text || !lval->name.text)
		return false;
	for (uint32_t i = 0; i < spec->event_count; i++)
		if (strcmp(spec->events[i].name, lval->name.text) == 0)
			return true;
	return false;
}

/* Has no operator that needs words: it is shown as it was written. */
static bool plain(const struct norn_spec *spec, const struct norn_form *form)
{
	switch (form->kind) {
	case NORN_FORM_INT:
	case NORN_FORM_REAL:
	case NORN_FORM_TEXT:
	case NORN_FORM_TRUE:
	case NORN_FORM_FALSE:
		return true;
	case NORN_FORM_NAME:
		return !is_event(spec, form);
	case NORN_FORM_NOT:
	case NORN_FORM_NEGATE:
	case NORN_FORM_INVERT:
		return plain(spec, form->a);
	default:
		return form->kind >= NORN_FORM_EQ && form->kind < NORN_FORM_KINDS;
	}
}

/* The text before, between and after the operands; outline: the lines that lead in the operands. */
struct template
{
	const char *before, *between, *after;
	const char *first, *second;
};

static const struct template templates[NORN_FORM_KINDS] = {
        [NORN_FORM_NOT] = {"it is not so that ", NULL, "", "it is not so that", NULL},
        [NORN_FORM_ALWAYS] = {"at every position from there on, ", NULL, "", "at every position from there on:", NULL},
        [NORN_FORM_EVENTUALLY] = {"at some position from there on, ", NULL, "", "at some position from there on:", NULL},
        [NORN_FORM_NEXT] = {"there is a next position, and there ", NULL, "", "there is a next position, and there:", NULL},
        [NORN_FORM_WEAK_NEXT] = {"if there is a next position, there ", NULL, "", "if there is a next position, there:", NULL},
        [NORN_FORM_PREV] = {"at the position before (at the first one: right there), ", NULL, "",
                "at the position before (at the first one: right there):", NULL},
        [NORN_FORM_ONCE] = {"at some position up to there, ", NULL, "", "at some position up to there:", NULL},
        [NORN_FORM_HIST] = {"at every position up to there, ", NULL, "", "at every position up to there:", NULL},
        [NORN_FORM_START] = {"(", NULL, ") has just become true", "this has just become true:", NULL},
        [NORN_FORM_END] = {"(", NULL, ") has just ceased to be true", "this has just ceased to be true:", NULL},
        [NORN_FORM_INTERVAL] = {"at some position up to there (", ") was so, and from that one on never (", ")",
                "at some position up to there this was so:", "and from that one on, that one included, this never was:"},
        [NORN_FORM_WEAK_INTERVAL] = {"at some position up to there (", ") was so, and from that one on never (",
                "); or the latter never was at all",
                "at some position up to there, or from the beginning, this was so:", "and from then on this never was:"},
        [NORN_FORM_UNTIL] = {"until some position from there on, which must come, (", ") holds, and at that one (", ")",
                "until some position from there on, which must come, at every one before it:", "and at that position itself:"},
        [NORN_FORM_UNLESS] = {"until some position from there on, which need not come, (", ") holds, and at that one (", ")",
                "until some position from there on, which need not come, at every one before it:", "and at that position itself:"},
        [NORN_FORM_RELEASE] = {"up to the first position from there on, which need not come, where (",
                ") holds, that one included, (", ") holds",
                "up to the first position from there on, which need not come, where this holds:",
                "at every position, that one included:"},

        [NORN_FORM_IFF] = {"(", ") if and only if (", ")", "this:", "holds if and only if this does:"},
        [NORN_FORM_IMPLIES] = {"if ", ", then ", "", "if", "then"},
        [NORN_FORM_XOR] = {"either (", ") or (", "), but not both", "exactly one of two holds; either", "or"},
        [NORN_FORM_OR] = {"(", ") or (", ")", "at least one of two holds; either", "or"},
        [NORN_FORM_AND] = {"(", ") and (", ")", "both", "and"},
};

static void write_plain(const struct norn_form *form, FILE *to)
{
	char *text = norn_form_text(form);
	fprintf(to, "`%s`", text ? text : "…");
	free(text);
}

static bool grouped(enum norn_form_kind kind)
{
	return kind == NORN_FORM_AND || kind == NORN_FORM_OR || kind == NORN_FORM_IFF || kind == NORN_FORM_XOR ||
	       kind == NORN_FORM_IMPLIES;
}

static void write_short(const struct norn_spec *spec, const struct norn_form *form, FILE *to);

/* An operand where the words around it do not say where it ends. */
static void write_operand(const struct norn_spec *spec, const struct norn_form *form, FILE *to)
{
	bool brackets = grouped(form->kind) && !plain(spec, form);
	fputs(brackets ? "(" : "", to);
	write_short(spec, form, to);
	fputs(brackets ? ")" : "", to);
}

static bool simple(const struct norn_spec *spec, const struct norn_form *form)
{
	return plain(spec, form) || is_event(spec, form) || (form->kind == NORN_FORM_NOT && is_event(spec, form->a));
}

/* Operands that need no parentheses do without: "(" and ")" at the ends of the template's parts are for others. */
static void write_part(const char *text, bool strip_first, bool strip_last, FILE *to)
{
	size_t length = strlen(text);
	if (strip_first && length > 0 && text[0] == ')') {
		text++;
		length--;
	}
	if (strip_last && length > 0 && text[length - 1] == '(')
		length--;
	fwrite(text, 1, length, to);
}

static void write_since(const struct norn_spec *spec, const struct norn_form *form, FILE *to)
{
	fputs("at some position up to there ", to);
	write_operand(spec, form->b, to);
	fputs(", and at every one after it ", to);
	write_operand(spec, form->a, to);
	if (form->kind == NORN_FORM_WEAK_SINCE) {
		fputs("; or at every position up to there ", to);
		write_operand(spec, form->a, to);
	}
}

static void write_short(const struct norn_spec *spec, const struct norn_form *form, FILE *to)
{
	const struct template *t = &templates[form->kind];
	if (plain(spec, form)) {
		write_plain(form, to);
	} else if (is_event(spec, form)) {
		write_plain(form, to);
		fputs(" happens", to);
	} else if (form->kind == NORN_FORM_NOT && is_event(spec, form->a)) {
		write_plain(form->a, to);
		fputs(" does not happen", to);
	} else if (form->kind == NORN_FORM_SINCE || form->kind == NORN_FORM_WEAK_SINCE) {
		write_since(spec, form, to);
	} else if (!t->before) {
		write_plain(form, to);
	} else if (!form->b) {
		bool bare = simple(spec, form->a);
		write_part(t->before, false, bare, to);
		(*t->after ? write_short : write_operand)(spec, form->a, to);
		write_part(t->after, bare, false, to);
	} else {
		bool a = simple(spec, form->a), b = simple(spec, form->b);
		write_part(t->before, false, a, to);
		write_short(spec, form->a, to);
		write_part(t->between, a, b, to);
		write_short(spec, form->b, to);
		write_part(t->after, b, false, to);
	}
}

static void line(unsigned indent, const char *text, FILE *to)
{
	fprintf(to, "%*s%s\n", (int)indent, "", text);
}

static char *short_text(const struct norn_spec *spec, const struct norn_form *form)
{
	size_t length;
	char *text = NULL;
	FILE *memory = norn_must(open_memstream(&text, &length));
	write_short(spec, form, memory);
	norn_must_close(memory);
	return text;
}

void norn_phrase_form(const struct norn_spec *spec, const struct norn_form *form, unsigned indent, FILE *to)
{
	const struct template *t = &templates[form->kind];
	char *text = short_text(spec, form);
	bool since = form->kind == NORN_FORM_SINCE || form->kind == NORN_FORM_WEAK_SINCE;
	bool leaf = plain(spec, form) || is_event(spec, form) || (!t->first && !since);
	if (leaf || strlen(text) + indent <= LINE) {
		line(indent, text, to);
	} else {
		line(indent, since ? "at some position up to there:" : t->first, to);
		norn_phrase_form(spec, since ? form->b : form->a, indent + INDENT, to);
		if (form->b) {
			line(indent, since ? "and at every position after that one:" : t->second, to);
			norn_phrase_form(spec, since ? form->a : form->b, indent + INDENT, to);
		}
		if (form->kind == NORN_FORM_WEAK_SINCE)
			line(indent, "or the latter at every position up to there", to);
	}
	free(text);
}

/* ---- expressions ---- */

static void write_times(const struct norn_rex *rex, FILE *to)
{
	if (rex->most == NORN_REX_UNBOUNDED)
		fprintf(to,
		        rex->least == 0   ? "any number of times"
		        : rex->least == 1 ? "once or more"
		                          : "%u times or more",
		        rex->least);
	else if (rex->least == 0)
		fprintf(to, rex->most == 1 ? "at most once" : "up to %u times", rex->most);
	else if (rex->least == rex->most)
		fprintf(to, rex->least == 1 ? "once" : "%u times", rex->least);
	else
		fprintf(to, "%u to %u times", rex->least, rex->most);
}

static void write_rex(const struct norn_rex *rex, FILE *to)
{
	switch (rex->kind) {
	case NORN_REX_EVENT:
		fprintf(to, "`%s`", rex->event.text);
		break;
	case NORN_REX_ANY:
		fputs("any event", to);
		break;
	case NORN_REX_NOT:
		fputs("anything but [", to);
		write_rex(rex->a, to);
		fputc(']', to);
		break;
	case NORN_REX_REPEAT:
		write_times(rex, to);
		fputs(rex->a->kind <= NORN_REX_ANY ? " " : " [", to);
		write_rex(rex->a, to);
		fputs(rex->a->kind <= NORN_REX_ANY ? "" : "]", to);
		break;
	case NORN_REX_CAT:
		write_rex(rex->a, to);
		fputs(", then ", to);
		write_rex(rex->b, to);
		break;
	default:
		fputc('[', to);
		write_rex(rex->a, to);
		fputs(rex->kind == NORN_REX_AND ? "] and at the same time [" : "] or [", to);
		write_rex(rex->b, to);
		fputc(']', to);
	}
}

void norn_phrase_rex(const struct norn_rex *rex, unsigned indent, FILE *to)
{
	fprintf(to, "%*s", (int)indent, "");
	write_rex(rex, to);
	fputc('\n', to);
}

/* ---- automata ---- */

/* The events that lead from a state to a target: their names; returns how many there are. */
static uint32_t write_events_to(const struct norn_property *property, const struct norn_fsm_state *state, uint32_t target, FILE *to)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < property->atom_count; i++)
		if (state->targets[i] == target) {
			if (to)
				fprintf(to, "%s%s", count ? ", " : "", property->atoms[i].text);
			count++;
		}
	return count;
}

void norn_phrase_fsm(const struct norn_property *property, unsigned indent, FILE *to)
{
	fprintf(to, "%*sIt begins in %s.\n", (int)indent, "", property->fsm[property->fsm_initial].name);
	for (uint32_t s = 0; s < property->fsm_count; s++) {
		const struct norn_fsm_state *state = &property->fsm[s];
		fprintf(to, "%*sIn %s%s:", (int)indent, "", state->name,
		        state->error    ? " (an error: a violation)"
		        : state->accept ? " (all is well if the run ends here)"
		                        : "");
		const char *between = " ";
		for (uint32_t target = 0; target <= property->fsm_count; target++) {
			uint32_t number = target == property->fsm_count ? NORN_FSM_DEAD : target;
			if (write_events_to(property, state, number, NULL) == 0)
				continue;
			fputs(between, to);
			between = "; ";
			write_events_to(property, state, number, to);
			fputs(number == s ? " stays" : number == NORN_FSM_DEAD ? " is a violation" : " leads to ", to);
			if (number != s && number != NORN_FSM_DEAD)
				fputs(property->fsm[number].name, to);
		}
		fputs(".\n", to);
	}
}

/* ---- events ---- */

static void write_selector(const struct norn_spec *spec, const struct norn_checked_selector *s, FILE *to)
{
	static const char *const kinds[] = {"calls of", "returns of", "reads of", "writes to", "accesses to", "acquisitions of",
	        "releases of", "starts of", "exits of", "joins of"};
	static const char *const marks[] = {[NORN_NOTE_EVENT] = "norn_event",
	        [NORN_NOTE_BLOCK] = "norn_atomic_begin",
	        [NORN_NOTE_BLOCK_END] = "norn_atomic_end"};
	bool note = s->kind == NORN_POINT_NOTE;
	fprintf(to, "%s%s", note ? marks[s->mark] : kinds[s->kind], note && !s->note ? "" : " ");
	if (note && s->note)
		fprintf(to, "\"%s\"", s->note);
	else if (note)
		fputs(s->mark == NORN_NOTE_BLOCK ? " of any name" : "", to);
	else if (s->kind >= NORN_POINT_READ && s->kind <= NORN_POINT_UNLOCK)
		fputs(spec->places[s->place].text, to);
	else if (s->function)
		fputs(s->function, to);
	else {
		uint32_t type = s->kind == NORN_POINT_JOIN ? s->joined_type : s->thread_type;
		fprintf(to, "threads of type %s", type != NORN_SLOT_NONE ? spec->types[type].name : "any");
	}
	if (s->kind != NORN_POINT_START && s->kind != NORN_POINT_EXIT && s->thread_type != NORN_SLOT_NONE)
		fprintf(to, " by threads of type %s", spec->types[s->thread_type].name);
	if (s->anyhow)
		fputs(", or where it is left by longjmp, an exception or the thread's end", to);
	if (s->condition)
		fputs(", if their condition holds", to);
}

void norn_phrase_event(const struct norn_spec *spec, uint32_t event, FILE *to)
{
	const struct norn_checked_event *e = &spec->events[event];
	for (uint32_t i = 0; i < e->selector_count; i++) {
		fputs(i > 0 ? " | " : "", to);
		write_selector(spec, &e->selectors[i], to);
	}
}
