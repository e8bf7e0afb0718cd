#include "monitor/states.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void norn_states_set(struct norn_states *states, uint64_t state)
{
	states->count = 1;
	states->one = state;
}

void norn_states_done(struct norn_states *states)
{
	free(states->more);
	*states = (struct norn_states){0};
}

static int assign(struct norn_states *to, const uint64_t *from, uint32_t count)
{
	if (count > 1 && !to->more && !(to->more = malloc((NORN_STATES_MAX - 1) * sizeof *to->more)))
		return -ENOMEM;
	assert(count <= NORN_STATES_MAX);
	to->count = count;
	to->one = count ? from[0] : 0;
	if (count > 1)
		memcpy(to->more, from + 1, (count - 1) * sizeof *from);
	return 0;
}

int norn_states_copy(struct norn_states *to, const struct norn_states *from)
{
	uint64_t all[NORN_STATES_MAX];
	for (uint32_t i = 0; i < from->count; i++)
		all[i] = norn_states_at(from, i);
	return assign(to, all, from->count);
}

static int give_up(struct norn_states *states)
{
	states->count = 0;
	return -E2BIG;
}

/* Adds to a set without repetition: false if it is full. */
static bool add(uint64_t *set, uint32_t *count, uint64_t state)
{
	for (uint32_t i = 0; i < *count; i++)
		if (set[i] == state)
			return true;
	if (*count == NORN_STATES_MAX)
		return false;
	set[(*count)++] = state;
	return true;
}

int norn_states_step(
        struct norn_states *states, const struct norn_monitor *monitor, const struct norn_letter *letter, uint64_t event_atoms)
{
	if (states->count == 1 && !letter->unknown) {
		states->one = norn_monitor_step(monitor, states->one, letter->yes);
		return 0;
	}
	if (__builtin_popcountll(letter->unknown) > (int)NORN_UNKNOWN_MAX)
		return give_up(states);
	uint64_t set[NORN_STATES_MAX], part = 0;
	uint32_t count = 0;
	/* All subsets of the unknown atoms. */
	do {
		uint64_t whole = letter->yes | part;
		bool happens = letter->sure || (whole & event_atoms);
		if (happens && letter->unknown && !norn_monitor_possible(monitor, whole))
			continue;
		for (uint32_t i = 0; i < states->count; i++) {
			uint64_t state = norn_states_at(states, i);
			if (!add(set, &count, happens ? norn_monitor_step(monitor, state, whole) : state))
				return give_up(states);
		}
	} while ((part = (part - letter->unknown) & letter->unknown));
	return count ? assign(states, set, count) : give_up(states);
}

uint32_t norn_states_violated(const struct norn_states *states, const struct norn_monitor *monitor)
{
	uint32_t count = 0;
	for (uint32_t k = 0; k < states->count; k++)
		count += norn_monitor_violated(monitor, norn_states_at(states, k));
	return count;
}

bool norn_states_common(const struct norn_states *states, const struct norn_monitor *monitor, bool fsm,
        enum norn_verdict *ret_verdict, uint32_t *ret_state)
{
	for (uint32_t k = 0; k < states->count; k++) {
		uint64_t state = norn_states_at(states, k);
		enum norn_verdict verdict = norn_monitor_verdict(monitor, state);
		uint32_t own = fsm ? norn_monitor_fsm_state(monitor, state) : NORN_FSM_DEAD;
		if (k && (verdict != *ret_verdict || own != *ret_state))
			return false;
		*ret_verdict = verdict;
		*ret_state = own;
	}
	return states->count > 0;
}
