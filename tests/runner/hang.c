/* norn-test
 * timeout: 2
 * must-fail: did not end within 2 s
 */
#include <unistd.h>

int main(void)
{
	for (;;)
		pause();
}
