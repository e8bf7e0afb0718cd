/* the same in C++: std::thread lambda captures a local by reference, the function returns
   Failing order: start returns before the lambda reads
   Shown with -DFAIL: ASan: stack-use-after-scope */
#include "hostile.h"
#include <thread>
int out;
static std::thread start(int x)
{
	int n = x;
	std::thread t([&] {
		B(3000);
		out = n;
	});
	G(3000);
	return t;
}
int main()
{
	std::thread t = start(1);
	t.join();
}
