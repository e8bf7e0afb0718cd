#include "monitor/automata/dfa.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

void norn_dfa_done(struct norn_dfa *dfa)
{
	free(dfa->next);
	free(dfa->verdict);
	free(dfa->final);
	free(dfa->settled);
	free(dfa->stutter);
	memset(dfa, 0, sizeof *dfa);
}

static void grow(struct norn_dfa *dfa)
{
	uint32_t room = dfa->room ? dfa->room * 2 : 16;
	dfa->next = norn_must_realloc(dfa->next, (size_t)room * dfa->letters, sizeof *dfa->next);
	dfa->verdict = norn_must_realloc(dfa->verdict, room, 1);
	dfa->final = norn_must_realloc(dfa->final, room, 1);
	dfa->room = room;
}

int norn_dfa_add(
        struct norn_dfa *dfa, enum norn_verdict verdict, struct norn_limits *limits, uint32_t *ret_state, struct norn_error *err)
{
	if (dfa->states >= limits->states)
		return norn_error_set(err, -E2BIG, "its automaton has more than %u states (before minimising)", limits->states);
	if ((uint64_t)(dfa->states + 1) * dfa->letters > NORN_DFA_ENTRIES_MAX)
		return norn_error_set(err, -E2BIG,
		        "its automaton has more than %u states (before minimising) for each of %u letters", dfa->states,
		        dfa->letters);
	if (dfa->states == dfa->room)
		grow(dfa);
	dfa->verdict[dfa->states] = dfa->final[dfa->states] = (uint8_t)verdict;
	*ret_state = dfa->states++;
	return 0;
}

/* ---- transitions backwards ---- */

/* The predecessors of state s by letter c are from[first[c * (states + 1) + s]] up to where those of s + 1 begin. */
struct inverse {
	uint32_t *first, *from;
};

static void inverse_done(struct inverse *inverse)
{
	free(inverse->first);
	free(inverse->from);
}

static void inverse_init(struct inverse *inverse, const struct norn_dfa *dfa)
{
	uint32_t n = dfa->states, k = dfa->letters;
	inverse->first = norn_must_calloc((size_t)k * (n + 1), sizeof *inverse->first);
	inverse->from = norn_must_alloc((size_t)k * n, sizeof *inverse->from);
	uint32_t start = 0;
	for (uint32_t c = 0; c < k; c++) {
		uint32_t *first = inverse->first + (size_t)c * (n + 1);
		for (uint32_t s = 0; s < n; s++)
			first[dfa->next[(size_t)s * k + c]]++;
		for (uint32_t s = 0; s < n; s++) /* ends of the ranges; the next loop walks them back to the beginnings */
			first[s] = start += first[s];
		first[n] = start;
		for (uint32_t s = n; s-- > 0;)
			inverse->from[--first[dfa->next[(size_t)s * k + c]]] = s;
	}
}

void norn_dfa_close_backward(const struct norn_dfa *dfa, uint8_t *set)
{
	struct inverse inverse;
	uint32_t *stack = norn_must_alloc(dfa->states, sizeof *stack), depth = 0;
	inverse_init(&inverse, dfa);
	for (uint32_t s = 0; s < dfa->states; s++)
		if (set[s])
			stack[depth++] = s;
	while (depth > 0) {
		uint32_t s = stack[--depth];
		for (uint32_t c = 0; c < dfa->letters; c++) {
			const uint32_t *first = inverse.first + (size_t)c * (dfa->states + 1) + s;
			for (uint32_t i = first[0]; i < first[1]; i++) {
				uint32_t from = inverse.from[i];
				if (!set[from]) {
					set[from] = 1;
					stack[depth++] = from;
				}
			}
		}
	}
	inverse_done(&inverse);
	free(stack);
}

void norn_dfa_settle(struct norn_dfa *dfa)
{
	uint8_t *open = norn_must_calloc(dfa->states + UINT64_C(1), 1);
	for (uint32_t s = 0; s < dfa->states; s++)
		for (uint32_t c = 0; c < dfa->letters; c++)
			open[s] |= dfa->verdict[dfa->next[(size_t)s * dfa->letters + c]] != dfa->verdict[s];
	norn_dfa_close_backward(dfa, open);
	for (uint32_t s = 0; s < dfa->states; s++)
		open[s] = !open[s];
	free(dfa->settled);
	dfa->settled = open;
}

/* ---- Hopcroft's algorithm ---- */

/* A partition of the states into blocks; block b is order[begin[b]] … order[end[b] - 1]; its first marked[b] members are marked. */
struct partition {
	uint32_t *order, *place, *block; /* place: where a state stands in order */
	uint32_t *begin, *end, *marked;
	uint32_t blocks;
	uint32_t *touched, touched_count; /* blocks that have marks */
	uint32_t *work, work_count; /* blocks that may still split others */
	uint8_t *waiting; /* is in work */
	uint32_t *splitter; /* copy of the block that splits: it may itself be split meanwhile */
};

static void partition_done(struct partition *p)
{
	free(p->order);
	free(p->waiting);
}

static void partition_init(struct partition *p, uint32_t n)
{
	memset(p, 0, sizeof *p);
	p->order = norn_must_alloc((size_t)(n + 1) * 9, sizeof *p->order);
	p->waiting = norn_must_calloc(n + UINT64_C(1), 1);
	uint32_t **parts[] = {&p->place, &p->block, &p->begin, &p->end, &p->marked, &p->touched, &p->work, &p->splitter};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		*parts[i] = p->order + (i + 1) * (size_t)(n + 1);
}

static void mark(struct partition *p, uint32_t state)
{
	uint32_t b = p->block[state], boundary = p->begin[b] + p->marked[b], at = p->place[state];
	if (at < boundary)
		return;
	if (p->marked[b]++ == 0)
		p->touched[p->touched_count++] = b;
	uint32_t other = p->order[boundary];
	p->order[boundary] = state;
	p->place[state] = boundary;
	p->order[at] = other;
	p->place[other] = at;
}

static void enqueue(struct partition *p, uint32_t block)
{
	p->waiting[block] = 1;
	p->work[p->work_count++] = block;
}

/* Splits the marked members off every touched block; of two halves it is enough to split others by the smaller one. */
static void split_touched(struct partition *p)
{
	while (p->touched_count > 0) {
		uint32_t b = p->touched[--p->touched_count], marked = p->marked[b];
		p->marked[b] = 0;
		if (marked == p->end[b] - p->begin[b])
			continue;
		uint32_t new = p->blocks++;
		p->begin[new] = p->begin[b];
		p->end[new] = p->begin[b] = p->begin[b] + marked;
		p->marked[new] = 0;
		for (uint32_t i = p->begin[new]; i < p->end[new]; i++)
			p->block[p->order[i]] = new;
		bool smaller = marked <= p->end[b] - p->begin[b];
		enqueue(p, p->waiting[b] || smaller ? new : b);
	}
}

static int compare_outputs(const struct norn_dfa *dfa, uint32_t a, uint32_t b)
{
	if (dfa->verdict[a] != dfa->verdict[b])
		return dfa->verdict[a] < dfa->verdict[b] ? -1 : 1;
	if (dfa->final[a] != dfa->final[b])
		return dfa->final[a] < dfa->final[b] ? -1 : 1;
	if (!dfa->stutter)
		return 0;
	return memcmp(dfa->stutter + (size_t)a * dfa->letters, dfa->stutter + (size_t)b * dfa->letters, dfa->letters);
}

static int by_outputs(const void *a, const void *b, void *dfa)
{
	return compare_outputs(dfa, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* The coarsest partition: states are together if their outputs are equal. */
static void partition_by_outputs(struct partition *p, const struct norn_dfa *dfa)
{
	uint32_t n = dfa->states;
	for (uint32_t s = 0; s < n; s++)
		p->order[s] = s;
	qsort_r(p->order, n, sizeof *p->order, by_outputs, (void *)dfa);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = p->order[i];
		if (i == 0 || compare_outputs(dfa, p->order[i - 1], s) != 0) {
			p->begin[p->blocks] = i;
			p->marked[p->blocks] = 0;
			enqueue(p, p->blocks++);
		}
		p->end[p->blocks - 1] = i + 1;
		p->block[s] = p->blocks - 1;
		p->place[s] = i;
	}
}

static void refine(struct partition *p, const struct norn_dfa *dfa, const struct inverse *inverse)
{
	while (p->work_count > 0) {
		uint32_t b = p->work[--p->work_count], members = p->end[b] - p->begin[b];
		p->waiting[b] = 0;
		memcpy(p->splitter, p->order + p->begin[b], members * sizeof *p->splitter);
		for (uint32_t c = 0; c < dfa->letters; c++) {
			const uint32_t *first = inverse->first + (size_t)c * (dfa->states + 1);
			for (uint32_t i = 0; i < members; i++)
				for (uint32_t j = first[p->splitter[i]]; j < first[p->splitter[i] + 1]; j++)
					mark(p, inverse->from[j]);
			split_touched(p);
		}
	}
}

/* The machine whose states are the blocks, breadth-first from that of state 0; unreachable blocks are left out. */
static void quotient(struct norn_dfa *dfa, const struct partition *p)
{
	uint32_t k = dfa->letters, count = 0;
	struct norn_dfa small = {.letters = k, .states = 0, .room = p->blocks};
	uint32_t *number = norn_must_alloc(p->blocks, sizeof *number), *queue = norn_must_alloc(p->blocks, sizeof *queue);
	small.next = norn_must_alloc((size_t)p->blocks * k, sizeof *small.next);
	small.verdict = norn_must_alloc(p->blocks, 1);
	small.final = norn_must_alloc(p->blocks, 1);
	small.stutter = dfa->stutter ? norn_must_alloc((size_t)p->blocks * k, 1) : NULL;
	memset(number, 0xff, p->blocks * sizeof *number);
	number[p->block[0]] = 0;
	queue[count++] = p->block[0];
	for (uint32_t i = 0; i < count; i++) {
		uint32_t s = p->order[p->begin[queue[i]]];
		small.verdict[i] = dfa->verdict[s];
		small.final[i] = dfa->final[s];
		if (small.stutter)
			memcpy(small.stutter + (size_t)i * k, dfa->stutter + (size_t)s * k, k);
		for (uint32_t c = 0; c < k; c++) {
			uint32_t target = p->block[dfa->next[(size_t)s * k + c]];
			if (number[target] == UINT32_MAX) {
				number[target] = count;
				queue[count++] = target;
			}
			small.next[(size_t)i * k + c] = number[target];
		}
	}
	small.states = count;
	free(number);
	free(queue);
	norn_dfa_done(dfa);
	*dfa = small;
}

/* ---- letters that are alike ---- */

static uint64_t column_hash(const struct norn_dfa *dfa, uint32_t c)
{
	uint64_t hash = 0;
	for (uint32_t s = 0; s < dfa->states; s++) {
		size_t at = (size_t)s * dfa->letters + c;
		hash = norn_monitor_hash(hash + dfa->next[at] * UINT64_C(4) + (dfa->stutter ? dfa->stutter[at] : 0) + 1);
	}
	return hash;
}

static bool columns_equal(const struct norn_dfa *dfa, uint32_t a, uint32_t b)
{
	for (size_t row = 0; row < (size_t)dfa->states * dfa->letters; row += dfa->letters)
		if (dfa->next[row + a] != dfa->next[row + b] || (dfa->stutter && dfa->stutter[row + a] != dfa->stutter[row + b]))
			return false;
	return true;
}

/* Finds classes of equal columns; ret_first: a column of each class. Returns how many there are. */
static uint32_t find_classes(const struct norn_dfa *dfa, uint64_t *hashes, uint16_t *ret_classes, uint32_t *ret_first)
{
	uint32_t count = 0;
	for (uint32_t c = 0; c < dfa->letters; c++) {
		hashes[c] = column_hash(dfa, c);
		uint32_t class = 0;
		while (class < count && (hashes[ret_first[class]] != hashes[c] || !columns_equal(dfa, ret_first[class], c)))
			class ++;
		ret_classes[c] = (uint16_t)class;
		if (class == count)
			ret_first[count++] = c;
	}
	return count;
}

/* Keeps of each row only the columns in keep; the rows move together in place. */
static void keep_columns(struct norn_dfa *dfa, const uint32_t *keep, uint32_t count)
{
	for (uint32_t s = 0; s < dfa->states; s++)
		for (uint32_t i = 0; i < count; i++) {
			dfa->next[(size_t)s * count + i] = dfa->next[(size_t)s * dfa->letters + keep[i]];
			if (dfa->stutter)
				dfa->stutter[(size_t)s * count + i] = dfa->stutter[(size_t)s * dfa->letters + keep[i]];
		}
	dfa->letters = count;
}

/* dfa's letters are the classes of letters. */
void norn_dfa_merge_letters(struct norn_dfa *dfa, struct norn_letters *letters)
{
	uint64_t *hashes = norn_must_alloc(dfa->letters, sizeof *hashes);
	uint16_t *classes = norn_must_alloc(dfa->letters, sizeof *classes);
	uint16_t *composed = norn_must_alloc(letters->count, sizeof *composed);
	uint32_t *first = norn_must_alloc(dfa->letters, sizeof *first);
	uint32_t count = find_classes(dfa, hashes, classes, first);
	keep_columns(dfa, first, count); /* first[i] >= i: nothing is overwritten before it is moved */
	for (uint32_t i = 0; i < letters->count; i++)
		composed[i] = classes[letters->classes[i]];
	norn_must_do(norn_letters_classify(letters, composed, count));
	free(hashes);
	free(classes);
	free(composed);
	free(first);
}

/* Does each state have a next one for each letter? */
__attribute__((unused)) static bool is_total(const struct norn_dfa *dfa)
{
	for (size_t i = 0; i < (size_t)dfa->states * dfa->letters; i++)
		if (dfa->next[i] >= dfa->states)
			return false;
	return dfa->states > 0;
}

void norn_dfa_minimise(struct norn_dfa *dfa, struct norn_letters *letters)
{
	struct partition p;
	struct inverse inverse;
	/* Fewer letters first: the work below grows with them. Afterwards more of them may be alike. */
	norn_dfa_merge_letters(dfa, letters);
	partition_init(&p, dfa->states);
	inverse_init(&inverse, dfa);
	partition_by_outputs(&p, dfa);
	refine(&p, dfa, &inverse);
	inverse_done(&inverse);
	quotient(dfa, &p);
	partition_done(&p);
	assert(is_total(dfa));
	norn_dfa_merge_letters(dfa, letters);
}
