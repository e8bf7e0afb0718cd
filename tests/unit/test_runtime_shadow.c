/* Who may touch a page of the shadow, and when. Threads are slots here; what they would do in a hook is done by hand. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/record/shadow.h"
#include "runtime/self.h"

enum { SLOTS = 8 };

struct norn_session *norn_session;
__thread struct norn_slot *norn_self; /* nothing is recorded here */

void norn_deliver(void)
{
}

static char memory[4u << NORN_PAGE_SHIFT];

struct visitor {
	pthread_t thread;
	struct norn_slot *slot;
	const void *addr;
	_Atomic bool inside; /* its claim has returned */
};

static int set_up(void **state)
{
	(void)state;
	norn_session = calloc(1, sizeof *norn_session + SLOTS * sizeof *norn_session->slot);
	if (!norn_session)
		return -1;
	for (uint32_t i = 0; i < SLOTS; i++)
		norn_session->slot[i].pages = norn_pages_of(i);
	atomic_store(&norn_session->used_slots, SLOTS);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	norn_shadow_reset();
	free(norn_session);
	return 0;
}

static struct norn_cell *enter(struct norn_slot *slot, const void *addr)
{
	*(volatile uint32_t *)&slot->busy = 1;
	return norn_cell_claim(slot, addr);
}

static void leave(struct norn_slot *slot)
{
	__atomic_store_n(&slot->busy, 0, __ATOMIC_RELEASE);
}

static void *visit(void *argument)
{
	struct visitor *v = argument;
	enter(v->slot, v->addr);
	atomic_store(&v->inside, true);
	leave(v->slot);
	return NULL;
}

static void send(struct visitor *v, struct norn_slot *slot, const void *addr)
{
	*v = (struct visitor){.slot = slot, .addr = addr};
	assert_int_equal(pthread_create(&v->thread, NULL, visit, v), 0);
}

static bool yields(const struct norn_slot *slot)
{
	return __atomic_load_n(&slot->yielding, __ATOMIC_ACQUIRE);
}

/* While the owner is inside its hook and does not lock, others stay out: the one who takes the page, and all who come after. */
static void nobody_enters_before_the_owner_left(unsigned handovers)
{
	struct norn_slot *slot = norn_session->slot, *owner = slot;
	const char *addr = memory + (2u << NORN_PAGE_SHIFT);
	assert_non_null(enter(owner, addr));
	for (unsigned i = 0; i < handovers; i++) {
		leave(owner++);
		assert_non_null(enter(owner, addr));
	}
	if (norn_page_shared(owner, addr))
		skip(); /* no membarrier here: no page has an owner */
	struct visitor first, second;
	send(&first, owner + 1, addr);
	while (norn_page_peek(owner, addr)) /* until the page has been taken away */
		sched_yield();
	send(&second, owner + 2, addr);
	while (!yields(owner + 2) && !atomic_load(&second.inside))
		sched_yield();
	bool early = atomic_load(&first.inside) || atomic_load(&second.inside);
	leave(owner);
	pthread_join(first.thread, NULL);
	pthread_join(second.thread, NULL);
	assert_false(early);
}

static void a_page_that_goes_to_another_owner(void **state)
{
	(void)state;
	nobody_enters_before_the_owner_left(0);
}

static void a_page_that_becomes_shared(void **state)
{
	(void)state;
	nobody_enters_before_the_owner_left(2);
}

static void pages_are_shared_after_some_handovers(void **state)
{
	(void)state;
	struct norn_slot *slot = norn_session->slot;
	bool shared[4];
	for (unsigned i = 0; i < 4; i++) {
		assert_non_null(enter(&slot[i], memory));
		shared[i] = norn_page_shared(&slot[i], memory);
		leave(&slot[i]);
	}
	if (shared[0])
		skip();
	assert_false(shared[1]);
	assert_false(shared[2]);
	assert_true(shared[3]);
	assert_false(norn_page_alone(&slot[3], memory));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(a_page_that_goes_to_another_owner, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(a_page_that_becomes_shared, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(pages_are_shared_after_some_handovers, set_up, tear_down),
	};
	return cmocka_run_group_tests_name("runtime/shadow", tests, NULL, NULL);
}
