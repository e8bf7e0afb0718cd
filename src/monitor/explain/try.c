#include "monitor/explain/try.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/text/nearest_word.h"
#include "monitor/eval.h"
#include "monitor/lasso.h"

/* The known values at a position. Places come first in the arrays of variables, then ghosts. */
struct known_values {
	const struct norn_spec *spec;
	const struct norn_property *property;
	struct norn_value *values; /* lasting ones */
	uint8_t *raised; /* true at this position only */
	uint8_t *happens; /* per event */
	__int128 *fresh; /* per ghost: the last maximum */
	struct norn_error *err;
};

static uint32_t variables(const struct norn_spec *spec)
{
	return spec->place_count + spec->ghost_count;
}

static struct norn_value variable(const struct known_values *b, uint32_t i)
{
	return b->raised[i] ? norn_value_integer(1) : b->values[i];
}

static struct norn_value leaf(void *context, const struct norn_expr *expr)
{
	const struct known_values *b = context;
	switch (expr->op) {
	case NORN_EXPR_PLACE:
		return variable(b, expr->index);
	case NORN_EXPR_GHOST:
		return variable(b, b->spec->place_count + expr->index);
	case NORN_EXPR_EVENT:
		return norn_value_integer(b->happens[expr->index]);
	case NORN_EXPR_TID:
		return norn_value_integer(0);
	default:
		return norn_value_unknown();
	}
}

/* ---- names ---- */

/* A blank ends a step. */
const char *norn_try_place_name(const struct norn_place *place)
{
	const char *blank = strrchr(place->text, ' ');
	return blank ? blank + 1 : place->text;
}

static const char *name_at(const void *names, unsigned i)
{
	const struct norn_spec *spec = names;
	if (i < spec->event_count)
		return spec->events[i].name;
	i -= spec->event_count;
	return i < spec->place_count ? norn_try_place_name(&spec->places[i]) : spec->ghosts[i - spec->place_count].name;
}

/* A name may be in backquotes, as in the file. */
static bool same_name(const char *name, const char *text, size_t length)
{
	size_t n = strlen(name);
	if (n >= 2 && name[0] == '`' && name[n - 1] == '`') {
		name++;
		n -= 2;
	}
	if (length >= 2 && text[0] == '`' && text[length - 1] == '`') {
		text++;
		length -= 2;
	}
	return n == length && memcmp(name, text, n) == 0;
}

static int unknown(const struct known_values *b, const char *text, size_t length)
{
	char name[128];
	snprintf(name, sizeof name, "%.*s", (int)(length < 100 ? length : 100), text);
	const char *nearest = norn_nearest(name, b->spec->event_count + variables(b->spec), name_at, b->spec);
	if (nearest)
		return norn_error_set(
		        b->err, -ENOENT, "there is no event or variable %s in this file: did you mean %s?", name, nearest);
	return norn_error_set(b->err, -ENOENT, "there is no event or variable %s in this file", name);
}

/* All variables and events of that name (a static of two files is two places); 0 if there is none. */
static unsigned find(struct known_values *b, const char *text, size_t length, bool events,
        void (*do_it)(struct known_values *, uint32_t, void *), void *what)
{
	unsigned found = 0;
	uint32_t begin = events ? 0 : b->spec->event_count, end = events ? b->spec->event_count : begin + variables(b->spec);
	for (uint32_t i = begin; i < end; i++)
		if (same_name(name_at(b->spec, i), text, length)) {
			do_it(b, i - begin, what);
			found++;
		}
	return found;
}

static void raise_event(struct known_values *b, uint32_t event, void *what)
{
	(void)what;
	b->happens[event] = 1;
}

static void raise_variable(struct known_values *b, uint32_t i, void *what)
{
	(void)what;
	b->raised[i] = 1;
}

static void assign(struct known_values *b, uint32_t i, void *value)
{
	b->values[i] = *(const struct norn_value *)value;
}

/* ---- steps ---- */

static bool parse_value(const char *text, size_t length, struct norn_value *ret_value)
{
	char buffer[64], *end;
	if (length == 0 || length >= sizeof buffer)
		return false;
	memcpy(buffer, text, length);
	buffer[length] = '\0';
	if (isspace((unsigned char)buffer[0]))
		return false;
	if (strcmp(buffer, "true") == 0 || strcmp(buffer, "false") == 0) {
		*ret_value = norn_value_integer(buffer[0] == 't');
		return true;
	}
	errno = 0;
	bool negative = buffer[0] == '-';
	unsigned long long magnitude = strtoull(buffer + negative, &end, 0);
	if (*end == '\0' && errno == 0 && isdigit((unsigned char)buffer[negative])) {
		*ret_value = norn_value_integer(negative ? -(__int128)magnitude : (__int128)magnitude);
		return true;
	}
	double real = strtod(buffer, &end);
	*ret_value = norn_value_real(real);
	return *end == '\0';
}

static int read_word(struct known_values *b, const char *text, size_t length)
{
	const char *equals = memchr(text, '=', length);
	size_t name = equals ? (size_t)(equals - text) : length;
	int shown = (int)(length < 100 ? length : 100), shown_name = (int)(name < 100 ? name : 100);
	if (name == 0)
		return norn_error_set(b->err, -EINVAL,
		        "a step has an empty part: write - for a position where nothing holds, else atoms joined by commas");
	if (!equals) {
		if (find(b, text, name, true, raise_event, NULL) + find(b, text, name, false, raise_variable, NULL) > 0)
			return 0;
		return unknown(b, text, name);
	}
	struct norn_value value;
	const char *from = equals + 1 + (equals + 1 < text + length && equals[1] == '='); /* x==1 is as good as x=1 */
	if (!parse_value(from, (size_t)(text + length - from), &value))
		return norn_error_set(b->err, -EINVAL, "%.*s gives no number to %.*s", shown, text, shown_name, text);
	if (find(b, text, name, false, assign, &value) > 0)
		return 0;
	for (uint32_t i = 0; i < b->spec->event_count; i++)
		if (same_name(b->spec->events[i].name, text, name))
			return norn_error_set(b->err, -EINVAL, "%.*s is an event and has no value: write it alone where it happens",
			        shown_name, text);
	return unknown(b, text, name);
}

/* Ghosts change by the events that happen, as if one thread did it all. */
static void update_ghosts(struct known_values *b)
{
	const struct norn_spec *spec = b->spec;
	const struct norn_eval_env env = {leaf, b};
	for (uint32_t g = 0; g < spec->ghost_count; g++)
		for (uint32_t u = 0; u < spec->ghosts[g].update_count; u++) {
			const struct norn_checked_update *update = &spec->ghosts[g].updates[u];
			if (!b->happens[update->event])
				continue;
			struct norn_value *value = &b->values[spec->place_count + g];
			*value = update->fresh ? norn_value_integer(b->fresh[g] + 1) : norn_expr_eval(update->value, &env);
			if (value->known && !value->is_float && value->integer > b->fresh[g])
				b->fresh[g] = value->integer;
		}
}

static int read_letter(struct known_values *b, uint32_t position, uint64_t *ret_letter)
{
	const struct norn_eval_env env = {leaf, b};
	*ret_letter = 0;
	for (uint32_t i = 0; i < b->property->atom_count; i++) {
		const struct norn_atom *atom = &b->property->atoms[i];
		enum norn_truth holds =
		        atom->kind == NORN_ATOM_EVENT ? b->happens[atom->event] : norn_expr_holds(atom->predicate, &env);
		if (holds == NORN_TRUTH_UNKNOWN)
			return norn_error_set(b->err, -EDOM,
			        "%s has no value at position %u: the steps do not say what it depends on, or it cannot be computed",
			        atom->text, position + 1);
		*ret_letter |= (uint64_t)holds << i;
	}
	return 0;
}

static int read_step(struct known_values *b, const char *step, size_t length)
{
	memset(b->raised, 0, variables(b->spec));
	memset(b->happens, 0, b->spec->event_count);
	if (length == 1 && *step == '-')
		return 0;
	for (const char *end = step + length;;) {
		const char *comma = memchr(step, ',', (size_t)(end - step));
		int r = read_word(b, step, (size_t)((comma ? comma : end) - step));
		if (r != 0 || !comma)
			return r;
		step = comma + 1;
	}
}

static int read_one(struct known_values *b, const char *step, size_t length, struct norn_try *try)
{
	int r = read_step(b, step, length);
	if (r != 0)
		return r;
	update_ghosts(b);
	r = read_letter(b, try->count, &try->letters[try->count]);
	if (r == 0)
		try->other |= try->letters[try->count++] == 0;
	return r;
}

static const char blanks[] = " \t\n";

/* Steps up to the end, or to a parenthesis, where *at is left. */
static int read_some(struct known_values *b, const char **at, struct norn_try *try)
{
	for (size_t length; *(*at += strspn(*at, blanks)) && !strchr("()", **at); *at += length) {
		length = strcspn(*at, " \t\n()");
		int r = read_one(b, *at, length, try);
		if (r != 0)
			return r;
	}
	return 0;
}

/* The text before (, up to ) and the end. Read twice: when a loop begins again, variables have the values that its end left. If
 * they still change after that, it is none. */
static int read_loop(struct known_values *b, const char *steps, struct norn_try *try)
{
	const char *at = steps;
	uint32_t count = variables(b->spec), first = try->count;
	if (b->property->logic != NORN_LOGIC_LTL)
		return norn_error_set(b->err, -EINVAL, "only an ltl property is tried on a run that repeats itself: %s is none",
		        b->property->name);
	int r = read_some(b, &at, try);
	if (r != 0)
		return r;
	const char *after = at + strspn(at + (*at == ')'), blanks) + 1;
	if (*at != ')' || *after || try->count == first)
		return norn_error_set(b->err, -EINVAL, "a loop is what is repeated at the end of the run, as in '- ( p - )'");
	struct norn_value *values = norn_must_copy(b->values, count, sizeof *values);
	try->shown = try->loop = try->count;
	at = steps;
	r = read_some(b, &at, try);
	for (uint32_t i = 0; r == 0 && i < count; i++)
		if (norn_value_equal(values[i], b->values[i]) != NORN_TRUTH_YES)
			r = norn_error_set(b->err, -EINVAL, "%s has another value each time that the loop ends, so it is no loop",
			        i < b->spec->place_count ? norn_try_place_name(&b->spec->places[i])
			                                 : b->spec->ghosts[i - b->spec->place_count].name);
	free(values);
	return r;
}

static int read_steps(struct known_values *b, const char *steps, struct norn_try *try)
{
	int r = read_some(b, &steps, try);
	try->shown = try->count;
	if (r == 0 && *steps == '(')
		return read_loop(b, steps + 1, try);
	if (r == 0 && *steps)
		return norn_error_set(b->err, -EINVAL, "there is a ) without a (");
	return r;
}

int norn_try_init(struct norn_try *try, const struct norn_spec *spec, const struct norn_property *property, const char *steps,
        struct norn_error *err)
{
	uint32_t count = variables(spec) + 1;
	struct known_values b = {.spec = spec, .property = property, .err = err};
	b.values = norn_must_calloc(count, sizeof *b.values);
	b.raised = norn_must_calloc(count, 1);
	b.happens = norn_must_calloc(spec->event_count, 1);
	b.fresh = norn_must_calloc(count, sizeof *b.fresh);
	*try = (struct norn_try){.letters = norn_must_alloc(strlen(steps) + 1, sizeof *try->letters)};
	const struct norn_eval_env env = {leaf, &b};
	for (uint32_t i = 0; i < count; i++)
		b.values[i] = norn_value_integer(0);
	for (uint32_t g = 0; g < spec->ghost_count; g++)
		if (spec->ghosts[g].initial)
			b.values[spec->place_count + g] = norn_expr_eval(spec->ghosts[g].initial, &env);
	int r = read_steps(&b, steps, try);
	free(b.values);
	free(b.raised);
	free(b.happens);
	free(b.fresh);
	if (r != 0)
		norn_try_done(try);
	return r;
}

void norn_try_done(struct norn_try *try)
{
	free(try->letters);
	*try = (struct norn_try){0};
}

/* ---- verdicts ---- */

static int make_monitor(const struct norn_spec *spec, const struct norn_property *property, const struct norn_try *try,
        struct norn_monitor **ret_monitor, struct norn_error *err)
{
	struct norn_monitor_options options = {.other = try->other};
	int r = norn_monitor_new(spec, property, &options, ret_monitor, err);
	for (uint32_t i = 0; r == 0 && i < try->count && !options.any_letter; i++)
		if (!norn_monitor_possible(*ret_monitor, try->letters[i])) {
			norn_monitor_free(*ret_monitor);
			options.any_letter = true;
			r = norn_monitor_new(spec, property, &options, ret_monitor, err);
		}
	return r;
}

int norn_try_play(const struct norn_spec *spec, const struct norn_property *property, const char *steps, char **ret_verdicts,
        struct norn_error *err)
{
	struct norn_try try;
	struct norn_monitor *monitor = NULL;
	int r = norn_try_init(&try, spec, property, steps, err);
	if (r != 0)
		return r;
	r = make_monitor(spec, property, &try, &monitor, err);
	enum norn_truth forever = NORN_TRUTH_NO;
	if (r == 0 && try.loop)
		norn_must_do(norn_lasso_judge(property, try.letters, NULL, try.count, try.loop, &forever));
	if (r == 0) {
		char *text = norn_must_alloc(2 * ((size_t)try.count + 2) + 1, 1), *at = text;
		uint64_t state = norn_monitor_start(monitor);
		if (property->logic != NORN_LOGIC_PTLTL)
			*at++ = norn_verdict_letter(norn_monitor_verdict(monitor, state));
		for (uint32_t i = 0; i < try.shown; i++) {
			state = norn_monitor_step(monitor, state, try.letters[i]);
			if (at > text)
				*at++ = ' ';
			*at++ = norn_verdict_letter(norn_monitor_verdict(monitor, state));
		}
		if (try.loop) {
			*at++ = ' ';
			*at++ = forever == NORN_TRUTH_YES ? 'T' : 'F';
		}
		*at = '\0';
		*ret_verdicts = text;
		norn_monitor_free(monitor);
	}
	norn_try_done(&try);
	return r;
}
