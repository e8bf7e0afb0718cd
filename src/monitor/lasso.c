#include "monitor/lasso.h"

#include <errno.h>
#include <stdlib.h>

#include "base/must.h"
#include "monitor/word_semantics.h"

int norn_lasso_judge(const struct norn_property *property, const uint64_t *letters, const uint64_t *unknown, uint32_t count,
        uint32_t loop, enum norn_truth *ret_holds)
{
	static const enum norn_truth truth[] = {NORN_TRUTH_NO, NORN_TRUTH_UNKNOWN, NORN_TRUTH_YES};
	const struct norn_word_semantics word = {letters, unknown, count, loop};
	if (property->logic != NORN_LOGIC_LTL || property->node_count == 0 || loop >= count)
		return -EINVAL;
	uint8_t *values = norn_must_alloc((size_t)property->node_count, count);
	norn_word_semantics_judge(&word, property, values);
	*ret_holds = truth[values[(size_t)(property->node_count - 1) * count]];
	free(values);
	return 0;
}
