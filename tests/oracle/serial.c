#include "serial.h"

#include <string.h>

/* Bytes as bits: those of variables, then those of blocks of memory. */
static uint32_t bytes_of(const struct next *n)
{
	uint32_t bytes = 0;
	for (uint64_t at = n->addr; at < n->addr + n->size; at++) {
		bool in_slot = n->slot >= 0;
		unsigned byte = in_slot ? 2 * (VARIABLES + (unsigned)n->slot) + (at & 7)
		                        : 2 * (unsigned)((at - ADDRESS_MEMORY) / 8) + (at & 7);
		if ((at & 7) < 2 && byte < 32)
			bytes |= UINT32_C(1) << byte;
	}
	return bytes;
}

static uint32_t reads(const struct next *n)
{
	return n->kind != NORN_EVENT_WRITE ? bytes_of(n) : 0;
}

static uint32_t writes(const struct next *n)
{
	return n->kind != NORN_EVENT_READ ? bytes_of(n) : 0;
}

bool serial_closes(const struct state *state, unsigned thread, const struct next *n)
{
	const struct serial *s = &state->serial[thread];
	uint32_t r = reads(n), w = writes(n);
	for (unsigned u = 0; u < THREADS; u++) {
		const struct serial_after *after = &s->after[u];
		uint32_t over = w & after->overwrites;
		if (u != thread && ((w & (after->reads | after->writes)) || (r & (after->writes | after->overwrites)) ||
		                           (over && !(over & after->alone))))
			return true;
	}
	return false;
}

/* Thread u comes after the block. alone: on this way there, only writes of these bytes follow on each other; 0: not so. */
static bool reach(struct serial *s, unsigned u, uint32_t alone)
{
	struct serial_after *after = &s->after[u];
	uint32_t both = after->reached ? after->alone & alone : alone;
	bool changed = !after->reached || both != after->alone;
	after->reached = 1;
	after->alone = both;
	return changed;
}

/* What thread u, which comes after the block, accessed: at once, or in its block so far. */
static void extend(struct serial *s, unsigned u, uint32_t r, uint32_t w, bool once)
{
	struct serial_after *after = &s->after[u];
	uint32_t over = once && (w & after->alone) ? w : w & after->alone;
	after->reads |= r;
	after->writes |= w & ~over;
	after->overwrites |= over;
}

/* The bytes that each of the block's own writes has in common with a write of these. */
static uint32_t common(const struct serial *s, uint32_t w)
{
	uint32_t all = w & s->writes;
	for (unsigned b = 0; b < 32; b++) {
		uint32_t byte = w & s->writes & UINT32_C(1) << b;
		if (byte & s->single)
			all &= byte;
		else if (byte & s->whole)
			all &= UINT32_C(3) << (b & ~1u);
	}
	return all;
}

/* Does the access, of thread t, come after the block of thread c, by a conflict? */
static bool follow(struct serial *s, unsigned c, unsigned t, uint32_t r, uint32_t w)
{
	bool changed = false;
	for (unsigned u = 0; u < THREADS; u++) {
		const struct serial_after *after = &s->after[u];
		bool own = u == c; /* what it did itself */
		uint32_t have_read = own ? s->reads : after->reads, have_written = own ? s->writes : after->writes;
		uint32_t overwritten = own ? s->writes : after->overwrites;
		if (u == t)
			continue;
		if ((w & have_read) || (r & (have_written | overwritten)) || (!own && (w & have_written)))
			changed |= reach(s, t, 0);
		else if (w & overwritten)
			changed |= reach(s, t, own ? common(s, w) : 0);
	}
	return changed;
}

/* Thread t, which is in a block, comes after the block of thread c: so does all that comes after its own. */
static bool join(struct state *state, unsigned c, unsigned t)
{
	struct serial *s = &state->serial[c];
	const struct serial *o = &state->serial[t];
	bool changed = false;
	extend(s, t, o->reads, o->writes, false);
	for (unsigned u = 0; u < THREADS; u++) {
		if (!o->after[u].reached || u == c)
			continue;
		changed |= reach(s, u, s->after[t].alone & o->after[u].alone);
		struct serial_after *after = &s->after[u];
		struct serial_after before = *after;
		after->reads |= o->after[u].reads;
		after->writes |= o->after[u].writes | (o->after[u].overwrites & ~s->after[t].alone);
		after->overwrites |= o->after[u].overwrites & s->after[t].alone;
		changed |= memcmp(&before, after, sizeof(before)) != 0;
	}
	return changed;
}

void serial_access(struct state *state, unsigned thread, const struct next *n)
{
	uint32_t r = reads(n), w = writes(n);
	bool changed = true;
	for (unsigned c = 0; c < THREADS; c++) {
		struct serial *s = &state->serial[c];
		if (c == thread || !state->threads[c].block)
			continue;
		follow(s, c, thread, r, w);
		if (s->after[thread].reached)
			extend(s, thread, r, w, true);
	}
	if (state->threads[thread].block) {
		state->serial[thread].reads |= r;
		state->serial[thread].writes |= w;
		state->serial[thread].single |= n->size == 1 ? w : 0;
		state->serial[thread].whole |= n->size == 2 ? w : 0;
	}
	while (changed) {
		changed = false;
		for (unsigned c = 0; c < THREADS; c++)
			for (unsigned t = 0; t < THREADS && state->threads[c].block; t++)
				if (t != c && state->serial[c].after[t].reached && state->threads[t].block)
					changed |= join(state, c, t);
	}
}

void serial_end(struct state *state, unsigned thread)
{
	memset(&state->serial[thread], 0, sizeof(state->serial[thread]));
}

void serial_allocate(struct state *state, unsigned slot)
{
	uint32_t others = ~(UINT32_C(3) << 2 * (VARIABLES + slot));
	for (unsigned c = 0; c < THREADS; c++) {
		struct serial *s = &state->serial[c];
		s->reads &= others;
		s->writes &= others;
		for (unsigned u = 0; u < THREADS; u++) {
			s->after[u].reads &= others;
			s->after[u].writes &= others;
			s->after[u].overwrites &= others;
		}
	}
}
