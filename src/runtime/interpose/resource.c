/* Resources of the process: what functions without hooks read and change of it, as their entries say (effects/effects.h). Each is a
 * channel of its own (trace/record.h); the pass puts these two around the call. */
#include <stdatomic.h>

#include "effects/effects.h"
#include "runtime/hooks.h"
#include "runtime/interpose/interpose.h"
#include "runtime/interpose/kernel_channel.h"
#include "runtime/replay/replay.h"
#include "runtime/self.h"
#include "trace/site.h"

static uint64_t resources[32]; /* only their addresses are used */
/* Those of objects that libraries keep behind pointers. Two pointers may have the same: then they are taken for one object. */
static uint64_t objects[1 << 12];

/* The locale is looked at by everything that reads or makes text. A thread tells so when it has changed since: no prediction
 * contains a change (docs/prediction.md, X7), so all its later calls are after that. It is counted before the
 * change, and after the record of that. */
#define LOCALE (1u << NORN_EFFECTS_LOCALE)
#define OPEN (1u << NORN_EFFECTS_FILES)
static _Atomic uint32_t locales = 1;
static __thread uint32_t locale_seen __attribute__((tls_model("initial-exec")));

static NORN_COLD void log_each(enum norn_sync_op op, uint32_t which, uint64_t argument, uint32_t site)
{
	enum norn_operation operation = op == NORN_SYNC_SEND ? NORN_OPERATION_SEND : NORN_OPERATION_RECEIVE;
	for (; which; which &= which - 1) {
		norn_step_end(norn_step_begin(operation, site, NULL));
		norn_log_sync(op, &resources[__builtin_ctz(which)], argument, site);
	}
}

/* A look at open files sees what was sent there. */
static NORN_COLD void look_at_open_files(uint32_t sizes, uint32_t site)
{
	norn_channel_call_sized(sizes, site);
}

void __norn_changes(uint32_t changed, uint32_t looks, uint32_t site)
{
	if (!norn_self)
		return;
	log_each(NORN_SYNC_SEND, changed, looks ? NORN_SEND_CHANGES : NORN_SEND_SETS, site);
	if (changed & LOCALE)
		atomic_fetch_add(&locales, 1);
	/* The call may look as soon as it has begun, which is after its changes are logged: what others change up to now they
	 * change before it in a predicted run, too. */
	if (looks > 1) {
		if (looks >> 1 & OPEN)
			look_at_open_files(0, site);
		log_each(NORN_SYNC_RECEIVE, looks >> 1 & ~LOCALE, NORN_RECEIVE_LOOKED, site);
	}
}

void __norn_object(const void *object, uint32_t use, uint32_t site)
{
	static const uint8_t arguments[] = {[NORN_OBJECT_SETS] = NORN_SEND_SETS,
	        [NORN_OBJECT_CHANGES] = NORN_SEND_CHANGES,
	        [NORN_OBJECT_LOOKED] = NORN_RECEIVE_LOOKED,
	        [NORN_OBJECT_CHANGED] = NORN_RECEIVE_CHANGED};
	if (!norn_self || !object || use > NORN_OBJECT_CHANGED)
		return;
	bool sends = use <= NORN_OBJECT_CHANGES;
	norn_step_end(norn_step_begin(sends ? NORN_OPERATION_SEND : NORN_OPERATION_RECEIVE, site, NULL));
	norn_log_sync(sends ? NORN_SYNC_SEND : NORN_SYNC_RECEIVE, &objects[(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15) >> 52],
	        arguments[use], site);
}

void norn_resource_looked(uint32_t which, uint32_t site)
{
	log_each(NORN_SYNC_RECEIVE, which, NORN_RECEIVE_LOOKED, site);
}

void __norn_looked(uint32_t looked, uint32_t changed, uint32_t site)
{
	uint32_t locale = atomic_load_explicit(&locales, memory_order_relaxed);
	if (!norn_self || (looked == LOCALE && locale == locale_seen))
		return;
	if (looked & LOCALE) {
		looked &= locale == locale_seen ? ~LOCALE : ~0u;
		locale_seen = locale;
	}
	if ((looked | changed) & OPEN)
		look_at_open_files(looked & NORN_LOOKED_SIZES, site);
	looked &= ~NORN_LOOKED_SIZES;
	/* Its read comes first: a reader of its change needs that, too. */
	log_each(NORN_SYNC_RECEIVE, looked, NORN_RECEIVE_LOOKED, site);
	log_each(NORN_SYNC_RECEIVE, changed, NORN_RECEIVE_CHANGED, site);
}
