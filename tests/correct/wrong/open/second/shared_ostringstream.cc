/* two threads write one std::ostringstream without lock (v/ss.cc loops: crashes)
   Failing order: both at once
   Shown with -DFAIL: tsan NO */
#include "hostile.h"
#include <sstream>
#include <thread>
std::ostringstream o;
int main()
{
	std::thread a([] { o << "hello " << 1; });
	std::thread b([] {
		G(3000);
		o << "world " << 2;
	});
	a.join();
	b.join();
	printf("%s\n", o.str().c_str());
}
