#include "online/engine.h"

norn_online_planner *const norn_online_planners[NORN_ENGINES] = {
        [NORN_ENGINE_MTTL] = NULL,
        [NORN_ENGINE_SCOPE] = NULL,
};
