/* Binary search, for sorted arrays of any kind. */
#ifndef NORN_BASE_BISECT_H
#define NORN_BASE_BISECT_H

/* The first index from `from` up to `to` for which the condition does not hold; `to` if it holds for all. The condition is an
 * expression with the variable `index`; it must hold for the first indices of the range, and for none after them. */
#define NORN_BISECT(from, to, index, condition)                                                                                    \
	({                                                                                                                         \
		__typeof__(0 + (to)) bisect_low = (from), bisect_high = (to);                                                      \
		while (bisect_low < bisect_high) {                                                                                 \
			__typeof__(0 + (to)) index = bisect_low + (bisect_high - bisect_low) / 2;                                  \
			if (condition)                                                                                             \
				bisect_low = index + 1;                                                                            \
			else                                                                                                       \
				bisect_high = index;                                                                               \
		}                                                                                                                  \
		bisect_low;                                                                                                        \
	})

#endif
