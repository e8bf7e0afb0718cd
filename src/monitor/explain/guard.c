#include "monitor/explain/guard.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

static bool inside(struct norn_cube cube, uint64_t word)
{
	return ((word ^ cube.value) & cube.care) == 0;
}

static bool excludes_others(const struct norn_letters *letters, const uint8_t *member, struct norn_cube cube)
{
	for (uint32_t i = 0; i < letters->count; i++)
		if (!member[i] && inside(cube, letters->words[i]))
			return false;
	return true;
}

/* Drops literals as long as no letter that is not a member gets in: those that say what does not hold first. */
static struct norn_cube widen(const struct norn_letters *letters, const uint8_t *member, uint64_t word)
{
	struct norn_cube cube = {.care = letters->atoms >= 64 ? UINT64_MAX : (UINT64_C(1) << letters->atoms) - 1, .value = word};
	for (int positive = 0; positive < 2; positive++)
		for (uint32_t i = letters->atoms; i-- > 0;) {
			uint64_t bit = UINT64_C(1) << i;
			if (!(word & bit) != !positive)
				continue;
			struct norn_cube wider = {cube.care & ~bit, cube.value & ~bit};
			if (excludes_others(letters, member, wider))
				cube = wider;
		}
	return cube;
}

struct norn_cube *norn_guard_cubes(const struct norn_letters *letters, const uint8_t *member, uint32_t *ret_count)
{
	struct norn_cube *cubes = norn_must_alloc(letters->count, sizeof *cubes);
	uint32_t count = 0;
	for (uint32_t i = 0; i < letters->count; i++) {
		bool covered = !member[i];
		for (uint32_t c = 0; !covered && c < count; c++)
			covered = inside(cubes[c], letters->words[i]);
		if (!covered)
			cubes[count++] = widen(letters, member, letters->words[i]);
	}
	*ret_count = count;
	return cubes;
}

static bool one_word(const char *text)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("_.[]()`:", *text))
			return false;
	return true;
}

static void write_literal(const struct norn_atom *atom, bool holds, bool alone, FILE *to)
{
	const char *equals = strstr(atom->text, " == ");
	bool comparison = atom->kind == NORN_ATOM_PREDICATE && atom->predicate->op == NORN_EXPR_EQ && equals;
	if (one_word(atom->text))
		fprintf(to, "%s%s", holds ? "" : "!", atom->text);
	else if (!holds && comparison)
		fprintf(to, "%.*s != %s", (int)(equals - atom->text), atom->text, equals + 4);
	else if (!holds)
		fprintf(to, "!(%s)", atom->text);
	else
		fprintf(to, alone || comparison ? "%s" : "(%s)", atom->text);
}

void norn_guard_write(const struct norn_property *property, const struct norn_cube *cubes, uint32_t count, FILE *to)
{
	for (uint32_t c = 0; c < count; c++) {
		if (c > 0)
			fputs(" || ", to);
		if (cubes[c].care == 0)
			fputs("any", to);
		bool alone = (cubes[c].care & (cubes[c].care - 1)) == 0;
		for (uint64_t rest = cubes[c].care; rest != 0; rest &= rest - 1) {
			uint32_t i = (uint32_t)__builtin_ctzll(rest);
			if (rest != cubes[c].care)
				fputs(" && ", to);
			write_literal(&property->atoms[i], cubes[c].value >> i & 1, alone, to);
		}
	}
}
