#include <norn.h>

int main(void)
{
	norn_thread_name("main thread");
	norn_atomic_begin("block");
	norn_set("x", 1);
	norn_event("done", 2);
	norn_atomic_end();
	return 0;
}
