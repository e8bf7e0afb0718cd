/* Relevant events: which events of the run are positions of some property of a spec.
 *
 * Most events are none, and are told apart by one lookup: of their site, or of the word that they access. An event is a position if
 * a selector of a declared event fits it, if it changes what is known of a spot, or if it frees memory that keys may point to. */
#ifndef NORN_JUDGE_RECORDED_RECORDED_MATCH_H
#define NORN_JUDGE_RECORDED_RECORDED_MATCH_H

#include "judge/recorded/hidden_writes.h"
#include "judge/recorded/watched_memory.h"

struct norn_recorded_match;

/* hidden writes must live longer, or be NULL. */
struct norn_recorded_match *norn_recorded_match_new(
        const struct norn_binding *binding, const struct norn_hidden_writes *hidden_writes);
void norn_recorded_match_free(struct norn_recorded_match *match);

/* The next event of the merged run: its position, which holds until the next call; NULL: it is none. */
const struct norn_position *norn_recorded_match_event(struct norn_recorded_match *match, const struct norn_event *event);

/* Position 0, the start of the run: it has no hits and no writes, but may have fades. */
const struct norn_position *norn_recorded_match_start(struct norn_recorded_match *match);

#endif
