/* The hooks of one size. access.c includes this once for each, with BYTES and TYPE defined: so no guard, and nobody else does. */
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define HOOK(name) JOIN(name, BYTES)

static NORN_COLD TYPE HOOK(read_slow_)(const void *addr, uint32_t site)
{
	return (TYPE)read_slow(addr, BYTES, site);
}

static NORN_COLD TYPE HOOK(read_deliver_)(const void *addr, uint32_t site)
{
	uint64_t value = read_value;
	norn_deliver();
	return (TYPE)value;
}

static NORN_COLD TYPE HOOK(read_far_)(const void *addr, uint32_t site)
{
	if (straddles(addr, BYTES))
		return (TYPE)norn_watch_read(addr, BYTES, site);
	return (TYPE)norn_watch_word(NORN_EVENT_READ, (void *)(uintptr_t)addr, 0, BYTES, site);
}

static __attribute__((preserve_most, noinline)) TYPE HOOK(read_stride_)(const void *addr, uint32_t site)
{
	struct norn_slot *self = norn_self;
	uint64_t value;
	if (straddles(addr, BYTES) || !self)
		TAIL HOOK(read_far_)(addr, site);
	enter_hook(self);
	bool done = norn_step_read(addr, BYTES, &value);
	leave_hook(self);
	if (!done)
		TAIL HOOK(read_far_)(addr, site);
	return (TYPE)value;
}

/* Watch mode: most accesses are of no interest. */
static __attribute__((preserve_most, noinline)) TYPE HOOK(read_watched_)(const void *addr, uint32_t site)
{
	TYPE value = (TYPE)norn_load(addr, BYTES);
	if (norn_watch_is_nothing(addr, BYTES, false, site))
		return value;
	TAIL HOOK(read_stride_)(addr, site);
}

TYPE HOOK(__norn_read)(const void *addr, uint32_t site)
{
	uint64_t value;
	bool pending;
	if (__builtin_expect(__norn_glance.mind != NULL, 0))
		TAIL HOOK(read_watched_)(addr, site);
	if (!read_fast(addr, BYTES, site, &value, &pending)) {
		if (!norn_session || is_ignored(addr))
			return (TYPE)norn_load(addr, BYTES);
		TAIL HOOK(read_slow_)(addr, site);
	}
	if (__builtin_expect(pending, 0)) {
		read_value = value;
		TAIL HOOK(read_deliver_)(addr, site);
	}
	return (TYPE)value;
}

static __attribute__((preserve_most, noinline)) void HOOK(write_shared_)(void *addr, TYPE value, uint32_t site)
{
	write_shared(addr, value, BYTES, site);
}

static NORN_COLD void HOOK(write_deliver_)(void *addr, TYPE value, uint32_t site)
{
	norn_deliver();
}

static NORN_COLD void HOOK(write_far_)(void *addr, TYPE value, uint32_t site)
{
	if (straddles(addr, BYTES))
		norn_watch_write(addr, value, BYTES, site);
	else
		norn_watch_word(NORN_EVENT_WRITE, addr, value, BYTES, site);
}

static __attribute__((preserve_most, noinline)) void HOOK(write_stride_)(void *addr, TYPE value, uint32_t site)
{
	struct norn_slot *self = norn_self;
	if (straddles(addr, BYTES) || !self)
		TAIL HOOK(write_far_)(addr, value, site);
	enter_hook(self);
	bool done = norn_step_write(self, addr, value, BYTES, site);
	leave_hook(self);
	if (!done)
		TAIL HOOK(write_far_)(addr, value, site);
}

static __attribute__((preserve_most, noinline)) void HOOK(write_watched_)(void *addr, TYPE value, uint32_t site)
{
	if (!norn_watch_is_nothing(addr, BYTES, true, site))
		TAIL HOOK(write_stride_)(addr, value, site);
	norn_store(addr, value, BYTES);
}

void HOOK(__norn_write)(void *addr, TYPE value, uint32_t site)
{
	bool pending;
	if (__builtin_expect(__norn_glance.mind != NULL, 0))
		TAIL HOOK(write_watched_)(addr, value, site);
	if (!write_fast(addr, value, BYTES, site, &pending)) {
		if (!norn_session || is_ignored(addr)) {
			norn_store(addr, value, BYTES);
			return;
		}
		TAIL HOOK(write_shared_)(addr, value, site);
	}
	if (__builtin_expect(pending, 0))
		TAIL HOOK(write_deliver_)(addr, value, site);
}

#undef HOOK
#undef JOIN
#undef JOIN2
#undef BYTES
#undef TYPE
