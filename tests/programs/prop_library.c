/* norn-test
 * build: $CC -g -O1 -shared -fPIC $SRC/prop_library-part.c -o liblibrary.so
 * cc: -g -O1 -pthread -L. -llibrary -Wl,-rpath,.
 * cc: -g -O1 -no-pie -L. -llibrary -Wl,-rpath,.
 * prop: prop_library.prop
 * no-finding: yes
 */
/* Variables and functions of a library, whose constructors run before the program's. */
int library_set(int state);

volatile int own = 1;

int main(void)
{
	library_set(4);
	own = library_set(5);
#ifdef BAD
	library_set(0);
#endif
	return 0;
}
