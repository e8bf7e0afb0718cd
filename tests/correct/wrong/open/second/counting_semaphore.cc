/* std::binary_semaphore, ABBA
   Failing order: each its first
   Shown with -DFAIL: hang yes */
#include "hostile.h"
#include <semaphore>
#include <thread>
std::binary_semaphore a{1}, b{1};
int x;
int main()
{
	std::thread t([] {
		a.acquire();
		B(2000);
		b.acquire();
		x++;
		b.release();
		a.release();
	});
	std::thread u([] {
		G(2000);
		b.acquire();
		B(2000);
		a.acquire();
		x++;
		a.release();
		b.release();
	});
	t.join();
	u.join();
}
