#include <dlfcn.h>
#include <norn.h>
#include <string.h>
#include <sys/mman.h>

int main(void)
{
	for (int i = 0; i < 3; i++) {
		void *part = dlopen("./libpart.so", RTLD_NOW);
		int (*set)(int) = part ? (int (*)(int))dlsym(part, "part_set") : 0;
		if (!set || set(i) != i + 1)
			return 1;
		dlclose(part);
		norn_event("closed", i);
	}
	/* Other memory in its place: what is written there is not the library's variable. */
	for (int i = 0; i < 200; i++) {
		char *other = mmap(0, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (int k = 0; k < 1 << 16; k += 4)
			*(volatile int *)(other + k) = 77;
		norn_event("closed", 100 + i);
	}
	return 0;
}
