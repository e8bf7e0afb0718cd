/* How fast monitors are: steps of a few machines, and how long it takes to make them.
 *
 *   monitor [STEPS [PROPERTY]]      prints a section for RESULTS.md; of all properties, or that one
 *
 * Instructions per step, which noisy machines do not change:
 *   valgrind --tool=callgrind --toggle-collect=norn_monitor_step build/bench/monitor 1000000 landing */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "monitor/monitor.h"

enum { LETTERS = 4096 };

static const struct {
	const char *name, *text;
	bool stepped;
} properties[] = {
        {"landing", "property p { ptltl: start(landing == 1) -> [start(approved == 1), radio == 0); }", true},
        {"x/y/z", "property p { ptltl: x > 0 -> [y = 0, y > z); }", false},
        {"past, 13 bits",
                "property p { ptltl: once a && hist b && c S d && [e, f) && start(g) -> prev prev prev prev prev prev prev prev h; "
                "}",
                true},
        {"(s r)*", "event s = note \"s\"; event r = note \"r\"; property p { ere: (s r)*; }", true},
        {"precedence", "event c = note \"c\"; event r = note \"r\"; property p { ltl: !c W r; }", false},
        {"ping-pong", "event i = note \"i\"; event o = note \"o\"; property p { ltl: G ((i -> X o) && (o -> X i)); }", true},
        {"readers-writers", "property p { ltl: G (w xor r); }", false},
        {"response between", "property p { ltl: G ((q && !r && F r) -> (p -> (!r U (s && !r))) U r); }", false},
        {"G(p -> X^8 q)", "property p { ltl: G (p -> X X X X X X X X q); }", false},
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct norn_spec *check(const char *text, struct norn_sources **ret_sources, struct norn_tree **ret_tree)
{
	*ret_sources = norn_sources_new();
	*ret_tree = norn_tree_parse(*ret_sources, norn_sources_add(*ret_sources, "bench", text, strlen(text)));
	struct norn_spec *spec = norn_spec_check(*ret_sources, *ret_tree, NULL);
	if (norn_diagnostics_errors(*ret_sources) > 0) {
		fprintf(stderr, "%s does not check\n", text);
		exit(1);
	}
	return spec;
}

static double step(const struct norn_monitor *monitor, uint32_t atoms, uint64_t steps)
{
	static uint64_t letters[LETTERS];
	uint64_t seed = 88172645463325252u, state = norn_monitor_start(monitor);
	for (unsigned i = 0; i < LETTERS;) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		letters[i] = (seed >> 20) & ((UINT64_C(1) << atoms) - 1);
		i += norn_monitor_possible(monitor, letters[i]);
	}
	double begin = now();
	for (uint64_t i = 0; i < steps; i++)
		state = norn_monitor_step(monitor, state, letters[i % LETTERS]);
	double seconds = now() - begin;
	if (state == UINT64_MAX) /* so that the loop has a result */
		puts("");
	return (double)steps / seconds * 1e-6;
}

int main(int argc, char **argv)
{
	uint64_t steps = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
	printf("\n# How fast monitors are\n\nMade by `build/bench/monitor %" PRIu64
	       "`: random letters, CPU time. Synthesis is from the checked property to its "
	       "monitor.\n\n| property | states or bits | synthesis, ms | M steps / s |\n|---|--:|--:|--:|\n",
	        steps);
	for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
		if (argc > 2 && strcmp(argv[2], properties[i].name) != 0)
			continue;
		struct norn_sources *sources;
		struct norn_tree *tree;
		struct norn_spec *spec = check(properties[i].text, &sources, &tree);
		const struct norn_property *property = norn_spec_property(spec, "p");
		struct norn_monitor *monitor;
		struct norn_error err;
		double begin = now();
		if (norn_monitor_new(spec, property, NULL, &monitor, &err) < 0) {
			fprintf(stderr, "%s: %s\n", properties[i].name, err.message);
			return 1;
		}
		double made = now() - begin;
		printf("| %s | %" PRIu32 " | %.2f |", properties[i].name, norn_monitor_size(monitor), made * 1e3);
		if (properties[i].stepped)
			printf(" %.0f |\n", step(monitor, property->atom_count, steps));
		else
			printf("  |\n");
		fflush(stdout);
		norn_monitor_free(monitor);
		norn_spec_free(spec);
		norn_tree_free(tree);
		norn_sources_free(sources);
	}
	return 0;
}
