/* Delivery: messages in whatever order they arrive, made an order that causality allows.
 *
 * An event is delivered when all events of its thread before it, and all that its clock counts of others, have been. Until then a
 * copy of its message waits here. An event that never becomes deliverable, because another was lost on the way, is dropped in the
 * end and counted.
 *
 * Bytes may be anything: whatever is wrong with a message is told by -EBADMSG. */
#ifndef NORN_OBSERVER_CAUSAL_DELIVERY_H
#define NORN_OBSERVER_CAUSAL_DELIVERY_H

#include "observer/wire.h"

/* The receiver of what is delivered. All return 0 or -errno, which the call that led here returns. */
struct norn_delivery_sink {
	void *context;
	/* clock: by thread, width entries. */
	int (*event)(void *context, const struct norn_wire_event *event, const uint32_t *clock, uint32_t width);
	int (*wait)(void *context, uint32_t thread, uint32_t joined);
	int (*end)(void *context, uint32_t thread);
	bool (*ready)(void *context, uint32_t thread); /* may its events be delivered yet? */
};

struct norn_delivery_counts {
	uint64_t delivered;
	uint64_t waiting, waiting_bytes; /* messages that wait for others, now */
	uint64_t lost; /* events that will not come, as the program has said */
	uint64_t twice; /* messages that had come before */
	uint32_t unfinished; /* threads of which something came, but not their end, or not all until then */
};

struct norn_delivery;

/* room: bytes of messages that may wait; beyond that -ENOBUFS. */
struct norn_delivery *norn_delivery_new(const struct norn_delivery_sink *sink, uint64_t room);
void norn_delivery_free(struct norn_delivery *delivery);

int norn_delivery_event(struct norn_delivery *delivery, struct norn_wire_text payload); /* of an EVENT message */
int norn_delivery_lost(struct norn_delivery *delivery, const struct norn_wire_lost *lost);
int norn_delivery_end(struct norn_delivery *delivery, const struct norn_wire_end *end);
/* After its first count events the thread waits for the end of joined. */
int norn_delivery_wait(struct norn_delivery *delivery, uint32_t thread, uint32_t joined, uint64_t count);
int norn_delivery_retry(struct norn_delivery *delivery, uint32_t thread); /* sink->ready may say otherwise now */

void norn_delivery_count(const struct norn_delivery *delivery, struct norn_delivery_counts *ret_counts);

#endif
