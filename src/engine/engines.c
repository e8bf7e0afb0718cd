#include "engine/engine.h"
#include "mttl/mttl_engine.h"
#include "scope/scope_engine.h"

const struct norn_online_engine *const norn_online_engines[NORN_ENGINES] = {
        [NORN_ENGINE_MTTL] = &norn_mttl_engine,
        [NORN_ENGINE_SCOPE] = &norn_scope_engine,
};
