#include "engine/engine.h"
#include "mttl/mttl_engine.h"
#include "scope/scope_engine.h"

norn_online_planner *const norn_online_planners[NORN_ENGINES] = {
        [NORN_ENGINE_MTTL] = norn_mttl_plan,
        [NORN_ENGINE_SCOPE] = norn_scope_plan,
};
