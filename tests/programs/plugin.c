/* norn-test
 * build: $CC -O1 -g -shared -fPIC $SRC/plugin-part.c -o plugin.so
 * cc: -O1 -ldl
 * cc: -O1 -ldl -Wl,-z,now -fuse-ld=lld
 * stdout: plugin 42
 * stdout: again 43
 * dump-count: 2 write .*answer
 * dump: enter .*plugin_answer
 */
/* An instrumented plugin, loaded, used, and loaded again. */
#include <dlfcn.h>
#include <stdio.h>

static int call(void *plugin)
{
	int (*answer)(void) = (int (*)(void))dlsym(plugin, "plugin_answer");
	return answer ? answer() : -1;
}

int main(void)
{
	void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
	if (!plugin)
		return puts(dlerror()), 1;
	printf("plugin %d\n", call(plugin));
	void *second = dlopen("./plugin.so", RTLD_NOW);
	printf("again %d\n", call(second));
	dlclose(second);
	return dlclose(plugin);
}
