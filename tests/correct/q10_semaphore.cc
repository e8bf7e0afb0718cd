/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: a binary semaphore handed to and fro */
#include <semaphore>
#include <thread>
#include <cstdio>
static std::binary_semaphore a(0), b(0);
static std::counting_semaphore<4> lock(1);
static int d, e;
int main()
{
	std::thread x([] {
		for (int i = 0; i < 4; i++) {
			a.acquire();
			d++;
			b.release();
		}
		lock.acquire();
		e++;
		lock.release();
	});
	std::thread y([] {
		for (int i = 0; i < 4; i++) {
			lock.acquire();
			e++;
			lock.release();
		}
	});
	for (int i = 0; i < 4; i++) {
		d += 10;
		a.release();
		b.acquire();
	}
	while (!lock.try_acquire())
		std::this_thread::yield();
	e++;
	lock.release();
	x.join();
	y.join();
	std::printf("%d %d\n", d, e);
	return d != 44;
}
