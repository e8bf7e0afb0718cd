#include "mttl/mttl.h"
#include "mttl/mttl_engine.h"

int norn_mttl_plan(const struct norn_sources *sources, const struct norn_spec *spec, struct norn_pack *pack, struct norn_error *err)
{
	struct norn_mttl program;
	int r = norn_mttl_compile(sources, spec, &program, err);
	if (r < 0)
		return r;
	if (program.property_count)
		norn_mttl_pack(spec, &program, pack);
	norn_mttl_done(&program);
	return 0;
}
