# The special cases, for bench/mttl-paths: what to edit to leave each out.
W, S, G = "src/mttl/knowledge_cell.c", "src/mttl/knowledge_fast_path.h", "src/mttl/knowledge_cache.h"
K, M, E, P = "src/mttl/knowledge.c", "src/mttl/local_monitor.c", "src/mttl/local_monitor_eval.c", "src/mttl/local_monitor_prepare.c"
T, H, I, R = "src/mttl/local_monitor_step.c", "src/mttl/local_monitor_cache.c", "src/mttl/vector_ids.c", "src/mttl/cell_readers.c"
WW, WL, WS = "src/runtime/watch/watch_words.c", "src/runtime/watch/watch_lock.h", "src/runtime/watch/watch_step.h"

# ---- code in the program ----
on("bank 1", "bank 0", "bank formula", "calls", "words", "pieces", "blocks", "matrix", "hash", "sort")
case("inline", ("src/instrument/access/inline_check.c", "return pass->only && norn_hook_filter_all_accesses() &&", "return false && pass->only && norn_hook_filter_all_accesses() &&"))
case("seen", (G, "	struct norn_seen *seen = knowledge_cache->seen;\n	uint32_t i = writes", "	struct norn_seen *seen = knowledge_cache->seen;\n	if (seen) return;\n	uint32_t i = writes"))
case("seen-site", (G, "site % bytes * (8 / bytes) + first / bytes", "first / bytes"),
     ("src/instrument/access/inline_check_layout.h", "(8 * (unsigned)__builtin_ctz(bytes) + (site) % (bytes) * (8 / (bytes)))", "(8 * (unsigned)__builtin_ctz(bytes))"))
case("seen-used", (G, "used = seen->used ? __atomic_exchange_n(&seen->used, 0, __ATOMIC_SEQ_CST) : 0;", "used = 0x3f;"))

# ---- hooks: without the word's lock ----
on("bank 1", "words", "readers", "ints", "array", "stripes", "fields", "config", "pieces", "ranges", "blocks", "matrix", "hash", "sort")
case("step", (WS, "	if (!*ret_bits && ((uintptr_t)addr | 7)", "	if (1 || !*ret_bits && ((uintptr_t)addr | 7)"))
case("step-empty", (S, "	if (!bits) {\n		*ret_bits = (writes ? g->now", "	if (!bits)\n		return false;\n	if (!bits) {\n		*ret_bits = (writes ? g->now"))
case("step-pieces", (S, "	if ((bits & (NORN_WORD_FLAGS & ~NORN_WORD_OTHERS)) == NORN_WORD_REST) { /* piece by piece */", "	if (0) {"),
     (S, "		*ret_bits = norn_cell_step_now(g) | (uint32_t)bits | norn_cell_step_others(bytes) | NORN_WORD_REST;\n		return norn_cell_step_is_fresh(bits);", "		return false;"),
     (S, "	if ((bits & ~NORN_WORD_OTHERS) == g->now) { /* more bytes with the same vectors */", "	if (0) {"))
case("step-halves", (S, "	if (!norn_cell_step_has_halves(bits, &code) || (bytes != 0x0f && bytes != 0xf0))", "	if (1 || !norn_cell_step_has_halves(bits, &code) || (bytes != 0x0f && bytes != 0xf0))"),
     (S, "	if ((bytes != 0x0f && bytes != 0xf0) || !norn_cell_step_knows(g, norn_cell_step_write_id(bits)))", "	if (1 || (bytes != 0x0f && bytes != 0xf0) || !norn_cell_step_knows(g, norn_cell_step_write_id(bits)))"))
case("step-open", (S, "	if (g->now == NORN_KNOWLEDGE_CACHE_CLOSED && !norn_cell_step_open(g->local_monitor, bits))", "	if (g->now == NORN_KNOWLEDGE_CACHE_CLOSED)"))
case("step-seldom", ("src/mttl/local_monitor.h", "__attribute__((preserve_most, cold, noinline))", "__attribute__((cold, noinline))"))

# ---- under the word's lock ----
on("bank 1", "words", "readers", "ints", "array", "stripes", "fields", "config", "parts", "pieces", "atomics", "matrix", "hash", "sort")
case("pass", (W, "	if (bits & NORN_WORD_NAMED)\n		return false;\n	if (is_listed(bits))", "	if (bits || !bits)\n		return false;\n	if (is_listed(bits))"))
case("pass-step", (W, "	if (!norn_cell_step(m->knowledge_cache, bits, mask, writes, &after))\n		return false;\n	norn_cell_step_count(m", "	if (1 || !norn_cell_step(m->knowledge_cache, bits, mask, writes, &after))\n		return false;\n	norn_cell_step_count(m"))
case("pass-pieces", (W, "	if (access == now >> NORN_WORD_ACCESS_SHIFT && (rest || write == NORN_ID_NONE)) {", "	if (0) {"),
     (W, "	bool same = (bits & NORN_WORD_OTHERS) == others, whole = !(bits & NORN_WORD_OTHERS) && access == write;", "	bool same = (bits & NORN_WORD_OTHERS) == others, whole = false;"))
case("rest", *cases["step-pieces"], *cases["pass-pieces"],
     (W, "	bool fresh = own == 0xff && access == write;", "	bool fresh = false;"))
case("pass-part", (W, "	struct cell_part *p = parts->list;\n", "	struct cell_part *p = parts->list;\n	if (p) return false;\n"))
case("pass-reader", (W, "	uint32_t write = norn_cell_step_write_id(bits);\n	if (bytes_of(bits)", "	uint32_t write = norn_cell_step_write_id(bits);\n	if (1 || bytes_of(bits)"))
case("pass-tried", ("src/mttl/mttl_engine.c", "!external && !tried && norn_word_pass", "!external && (tried || 1) && norn_word_pass"))
case("readers", (W, "	if (mixture->given)\n		return NULL;", "	if (1)\n		return NULL;"))
case("readers-alike", (W, "	if (mixture->given)\n		return NULL;", "	if (0)\n		return NULL;"))
case("joined", (H, "	if (j->from == access)\n", "	if (0 && j->from == access)\n"))

# ---- references, numbers, memory ----
on("bank 1", "bank 0", "words", "ints", "blocks", "crowd", "hash")
case("spare_references", ("src/mttl/local_monitor.h", "	if ((local_monitor->spare_references -= count) < NORN_SPARE_LEAST)\n		norn_local_monitor_take_references(local_monitor);", "	atomic_fetch_add_explicit(&local_monitor->now->refs, count, memory_order_relaxed);"))
case("deferred_releases", ("src/mttl/local_monitor.h", "	deferred->count += count;\n}", "	deferred->count += count;\n	norn_local_monitor_release_deferred(deferred);\n}"))
case("ids-kept", (I, "#define KEPT 64u", "#define KEPT 2u"))
case("pools", (K, "	return pool && pool->count ?", "	return 0 && pool && pool->count ?"), (K, "	if (pools && class < CLASSES && pools[class].count < POOLED)", "	if (0 && pools && class < CLASSES && pools[class].count < POOLED)"))
case("covers", ("src/mttl/knowledge.h", "	if (b->owner != NORN_SEAT_NONE)\n		return", "	if (b->owner == NORN_SEAT_NONE - 1)\n		return"))

# ---- new vectors ----
on("bank 1", "bank 0", "bank past", "bank race", "crowd", "hash")
case("others", (M, "struct norn_others *others = m->others && !own ?", "struct norn_others *others = 0 && m->others && !own ?"))
case("source", (M, "	if (!renewed && m->source && (own || !seated)) {", "	if (0 && !renewed && m->source && (own || !seated)) {"))

# ---- one position ----
on("bank 1", "bank 0", "bank past", "bank race", "bank formula", "bank many", "calls", "calls alone", "crowd", "sort")
case("calls", (M, "	bool call = input->call && !m->world->program.table_count, wanted", "	bool call = 0 && input->call && !m->world->program.table_count, wanted"))
case("wanted", (M, "	return m->wanted[m->last_call];", "	return false;"))
case("put-off", (M, "tells = !input->call || m->news, late", "tells = true, late"), *cases["calls"])
case("usual", (M, "	if (!m->usual || input->touch_count)\n		return think_hard", "	if (1 || !m->usual || input->touch_count)\n		return think_hard"))
case("stable", (M, "	if (quiet && m->stable) {", "	if (0 && quiet && m->stable) {"))
case("positions", (M, "	m->stepping = input->positions ? input->positions :", "	m->stepping = 0 ? input->positions :"))
case("needs-judge", (T, "		if (!(m->stale & bit) && !(m->world->judges[i].need & m->dirty))\n			continue;\n", ""))
case("needs-remotes", (T, "		if (m->stepping & r->property && (r->any & dirty || m->untold & r->property))\n			changed |= step_remote(m, r, m->untold & r->property ? UINT64_MAX : dirty);",
                       "		if (m->stepping & r->property)\n			changed |= step_remote(m, r, UINT64_MAX);"))
case("told", (T, "	return (m->world->told & dirty || m->untold & m->stepping) && step_others(m, dirty);", "	return step_others(m, dirty);"))
case("step-seat", (T, "	if (r->need.own & dirty)\n		return r->dimensions ?", "	if (r->need.own & dirty || (r->dimensions && (dirty & NORN_NEED_SEATS || r->need.lent & dirty)))\n		return r->dimensions ?"))
case("local_remotes", (P, "	return l->op == NORN_MTTL_LOCAL ? l->index : NORN_SLOT_NONE;\n}", "	return 0 && l->op == NORN_MTTL_LOCAL ? l->index : NORN_SLOT_NONE;\n}"))
case("in-turn", (P, "		        order_updates(local_monitors->updates", "		        0 && order_updates(local_monitors->updates"))
case("climbs", (P, ".climbs = climbs(p, u->local)}", ".climbs = true}"))

# ---- values of lines ----
case("guards", (P, "		if (body->op != (l->op == NORN_MTTL_EXISTS ?", "		if (1 || body->op != (l->op == NORN_MTTL_EXISTS ?"))
case("small-ints", (E, "	if (!both_same && functions[line->op])", "	if (!both_same && line->op <= NORN_MTTL_VALUE && functions[line->op])"))
case("dimensions", (E, "	return known_of(m, l, 0);", "	return known_of(m, l, l->remote->dimensions);"), (E, "	return known_of(m, l, 1);", "	return known_of(m, l, l->remote->dimensions);"),
     (E, "	return known_of(m, l, 2);", "	return known_of(m, l, l->remote->dimensions);"))
case("memo", (P, "#define WORTH_KEEPING 24u", "#define WORTH_KEEPING 240000u"))

# ---- locks ----
on("bank 1", "bank 0", "rwlock", "hash")
case("lock-word", (WL, "	if (!norn_lock_words)\n		return false;\n	struct", "	if (1)\n		return false;\n	struct"))
case("lock-familiar", (WL, "	if (norn_knowledge_cache_accepts(&__norn_knowledge_cache, bits, byte, norn_lock_writes(op)))\n		return true;\n", ""))
case("lock-step", (WL, "	return norn_lock_writes(op) ? norn_lock_step_exclusive(word, bits, byte) : norn_lock_step_shared(word, bits, byte);", "	return false;"))
case("lock-shared", (WL, "	return norn_lock_writes(op) ? norn_lock_step_exclusive(word, bits, byte) : norn_lock_step_shared(word, bits, byte);", "	return norn_lock_writes(op) ? norn_lock_step_exclusive(word, bits, byte) : false;"))

# ---- ranges, freed memory, calls ----
on("bank 0", "bank formula", "ranges", "blocks", "sort")
case("range-familiar", (WW, "	while (__norn_knowledge_cache.local_monitor && done < bytes) {", "	while (0 && __norn_knowledge_cache.local_monitor && done < bytes) {"))
case("range-alike", (WW, "		for (done += n; n == 8 && bytes - done >= 8; done += 8)\n			if (atomic_load_explicit(&norn_word_at(at + done)->bits, memory_order_acquire) != bits)\n				break;", "		done += n;"))
case("range-step", (WW, "		if (!(n == 8 && __norn_knowledge_cache.local_monitor && norn_step_read", "		if (!(0 && norn_step_read"), (WW, "		if (!(n == 8 && __norn_knowledge_cache.local_monitor && norn_step_write", "		if (!(0 && norn_step_write"))
case("drop-step", (WW, "		if (__norn_knowledge_cache.local_monitor && norn_cell_step_forgets(bits)", "		if (0 && norn_cell_step_forgets(bits)"))
case("quick", ("src/runtime/watch/watch_quick.c", "	norn_watch.quick = norn_watch.plan.props_count == 1 && !first->has_machines;", "	norn_watch.quick = 0 && norn_watch.plan.law_count == 1 && !first->has_machines;"))
