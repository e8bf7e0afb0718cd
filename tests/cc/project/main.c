#include <dlfcn.h>
#include <stdio.h>

int from_static(void);
int from_shared(void);

int main(void)
{
	void *plugin = dlopen("./plugin.so", RTLD_NOW);
	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	int (*from_plugin)(void) = (int (*)(void))dlsym(plugin, "from_plugin");
	if (!from_plugin)
		return 1;
	printf("static %d shared %d plugin %d\n", from_static(), from_shared(), from_plugin());
	return dlclose(plugin);
}
