#include "engine/watch_message.h"

void norn_watch_ring_init(struct norn_watch_ring *ring)
{
	ring->magic = NORN_WATCH_MAGIC;
	ring->bytes = sizeof *ring;
}

bool norn_watch_ring_put(struct norn_watch_ring *ring, const struct norn_watch_message *message)
{
	uint64_t n = atomic_load_explicit(&ring->head, memory_order_relaxed);
	for (;;) {
		uint64_t first = n % NORN_WATCH_PLACES;
		struct norn_watch_place *place = &ring->place[first];
		uint64_t turn = atomic_load_explicit(&place->turn, memory_order_acquire) + first; /* pairs with get's release */
		if (turn < n)
			return false; /* the message in this place is not read yet */
		if (turn > n) {
			n = atomic_load_explicit(&ring->head, memory_order_relaxed);
			continue;
		}
		if (!atomic_compare_exchange_weak_explicit(&ring->head, &n, n + 1, memory_order_relaxed, memory_order_relaxed))
			continue;
		place->message = *message;
		atomic_store_explicit(&place->turn, n - first + 1, memory_order_release);
		return true;
	}
}

bool norn_watch_ring_get(struct norn_watch_ring *ring, uint64_t *tail, struct norn_watch_message *ret_message)
{
	uint64_t first = *tail % NORN_WATCH_PLACES;
	struct norn_watch_place *place = &ring->place[first];
	if (atomic_load_explicit(&place->turn, memory_order_acquire) != *tail - first + 1)
		return false;
	*ret_message = place->message;
	atomic_store_explicit(&place->turn, *tail - first + NORN_WATCH_PLACES, memory_order_release);
	++*tail;
	return true;
}
