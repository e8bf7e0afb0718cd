#include <dlfcn.h>

int main(void)
{
	for (int i = 0; i < 3; i++) {
		void *part = dlopen("./libpart.so", RTLD_NOW);
		int (*set)(int) = part ? (int (*)(int))dlsym(part, "part_set") : 0;
		if (!set || set(i) != i + 1)
			return 1;
		dlclose(part);
	}
	return 0;
}
