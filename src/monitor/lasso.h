/* Lassos: what an LTL formula is worth on an infinite run that repeats itself, u v v v …
 *
 * The run is a word of letters, as monitors take them; its letters from `loop` on are v. The value is exact: a least fixpoint of
 * each until over the word's positions, a greatest one of each release, in time that is linear in formula and word (JMPaX, section
 * 4, and Markey and Schnoebelen, "Model checking a path", 2003). On an infinite run WX is X, whatever the property says about ends.
 * Letters may have unknown bits; then the value follows Kleene: it is what all possibilities agree on, or unknown. */
#ifndef NORN_MONITOR_LASSO_H
#define NORN_MONITOR_LASSO_H

#include "monitor/eval.h"

/* letters: count of them, loop < count. unknown: the bits that are not known, per letter; NULL: none. 0, or -EINVAL if the
 * property is no LTL formula, or there is nothing to repeat. */
int norn_lasso_judge(const struct norn_property *property, const uint64_t *letters, const uint64_t *unknown, uint32_t count,
        uint32_t loop, enum norn_truth *ret_holds);

#endif
