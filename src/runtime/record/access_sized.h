/* The hooks of one size. access.c includes this once for each, with BYTES and TYPE defined: therefore no include guard. No other
 * file includes it. */
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

static NORN_COLD TYPE HOOK(read_ignored_)(const void *addr, uint32_t site)
{
	TYPE value = (TYPE)norn_load(addr, BYTES);
	norn_deliver();
	return value;
}

static __attribute__((noinline)) TYPE HOOK(read_word_)(const void *addr, uint32_t site)
{
	return (TYPE)read_word(addr, BYTES, site);
}

/* Watch mode: most accesses are of no interest. */
static __attribute__((preserve_most, noinline)) TYPE HOOK(read_watched_)(const void *addr, uint32_t site)
{
	TYPE value = (TYPE)norn_load(addr, BYTES);
	return norn_watch_is_nothing(addr, BYTES, false, site) ? value : HOOK(read_word_)(addr, site);
}

TYPE HOOK(__norn_read)(const void *addr, uint32_t site)
{
	uint64_t value;
	bool pending;
	if (__builtin_expect(__norn_knowledge_cache.local_monitor != NULL, 0))
		TAIL HOOK(read_watched_)(addr, site);
	if (!read_fast(addr, BYTES, site, &value, &pending)) {
		if (!norn_session || is_ignored(addr)) {
			if (__builtin_expect(pending, 0))
				TAIL HOOK(read_ignored_)(addr, site);
			return (TYPE)norn_load(addr, BYTES);
		}
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

static __attribute__((noinline)) void HOOK(write_word_)(void *addr, TYPE value, uint32_t site)
{
	write_word(addr, value, BYTES, site);
}

static __attribute__((preserve_most, noinline)) void HOOK(write_watched_)(void *addr, TYPE value, uint32_t site)
{
	if (norn_watch_is_nothing(addr, BYTES, true, site))
		norn_store(addr, value, BYTES);
	else
		HOOK(write_word_)(addr, value, site);
}

void HOOK(__norn_write)(void *addr, TYPE value, uint32_t site)
{
	bool pending;
	if (__builtin_expect(__norn_knowledge_cache.local_monitor != NULL, 0))
		TAIL HOOK(write_watched_)(addr, value, site);
	if (!write_fast(addr, value, BYTES, site, &pending)) {
		if (!norn_session || is_ignored(addr)) {
			norn_store(addr, value, BYTES);
			if (__builtin_expect(pending, 0))
				TAIL HOOK(write_deliver_)(addr, value, site);
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
