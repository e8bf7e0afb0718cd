/* Projections: the computation of one property, or of one instance of it, out of that of all positions.
 *
 * Causality does not depend on what is relevant; clocks only count other events. So a projection's clocks are those of the whole, with each
 * entry replaced by how many of the projection's own events are among so many events of that thread.
 *
 * An instance of a property with keys has the events that name its keys, and all that name none. A free of the memory that a key
 * points to ends it: what comes later with the same key is another instance. */
#ifndef NORN_PREDICT_PROJECTION_H
#define NORN_PREDICT_PROJECTION_H

#include "causality/computation.h"
#include "predict/influence.h"

struct norn_projection {
	const struct norn_value *keys; /* NULL: a property without keys */
	const uint32_t *payloads; /* of its events, ascending */
	uint32_t count;
	bool several; /* threads have events in it; else there is but one order */
	const struct norn_computation *all;
	const uint32_t *seats; /* per payload: where it is in all's arrays, UINT32_MAX: nowhere */
	const uint32_t *threads; /* per seat: whose event it is */
};

struct norn_projections;

/* Per payload where it is in all's arrays, UINT32_MAX: nowhere. The caller frees it; NULL: out of memory. */
uint32_t *norn_projections_seats(const struct norn_computation *all, uint32_t payload_count);

/* seats: of all. kept: the positions by payload, in the observed order; frees are among them. -EINVAL: a key is not known. */
int norn_projections_new(const struct norn_view *view, const struct norn_influence *concern, const struct norn_computation *all,
        const uint32_t *seats, const struct norn_position *const *kept, uint32_t kept_count,
        struct norn_projections **ret_projections);
void norn_projections_free(struct norn_projections *projections);
uint32_t norn_projections_count(const struct norn_projections *projections);
/* Holds until the next get; -ENOMEM. */
int norn_projections_get(struct norn_projections *projections, uint32_t i, struct norn_projection *ret_projection);

/* As a computation of its own, with the same payloads. */
int norn_projection_computation(
        const struct norn_projection *projection, struct norn_computation **ret_computation, struct norn_error *err);

#endif
