/* Knowledge vectors inside a program: the engine (engine.h) that gives each thread its local monitor, and words of memory and
 * objects of synchronization their vectors.
 *
 * There is no lock that all take: a word's own lock covers its access and its vectors, and objects of synchronization lie in many
 * small tables with a lock each. A thread's local monitor is its own.
 *
 * Knowledge is carried by reads, writes and atomics of instrumented code, byte by byte; a lock, condition variable, semaphore or
 * once is a variable that each operation writes, but shared locks and passes read; a barrier's leaves hear of the arrivals of their
 * round; creation and join. Knowledge that was written to a file or socket reaches every receive: a send learns nothing. Freed
 * memory and destroyed objects lose their vectors. */
#ifndef NORN_MTTL_MTTL_ENGINE_H
#define NORN_MTTL_MTTL_ENGINE_H

#include "engine/engine.h"
#include "mttl/local_monitor.h"

extern const struct norn_online_engine norn_mttl_engine;

/* The engine's plan; stands apart, as only the command has it. */
int norn_mttl_plan(
        const struct norn_sources *sources, const struct norn_spec *spec, struct norn_pack *pack, struct norn_error *err);

/* For code that feeds the engine from a trace. The address of a place of the spec, and its bytes at the start (known: a mask of
 * them); before the first begin. */
void norn_mttl_bind(void *engine, uint32_t place, uint64_t address, uint64_t bytes, uint8_t known);
/* After all threads have ended: inside a program the engine lives as long as the process. */
void norn_mttl_close(void *engine);

#endif
