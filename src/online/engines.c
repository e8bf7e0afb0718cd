#include "online/engine.h"

const struct norn_online_engine *const norn_online_engines[NORN_ENGINES] = {
        [NORN_ENGINE_MTTL] = NULL,
        [NORN_ENGINE_SCOPE] = NULL,
};
