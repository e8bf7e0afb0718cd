/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: wait returns when all have counted down, after their writes */
#include <latch>
#include <thread>
#include <cstdio>
static int v[3];
int main()
{
	std::latch l(3), go(1);
	int s = 0;
	std::thread t[3];
	for (int i = 0; i < 3; i++)
		t[i] = std::thread([&, i] {
			go.wait();
			v[i] = i + s;
			l.count_down();
		});
	s = 10;
	go.count_down();
	l.wait();
	s = v[0] + v[1] + v[2];
	for (auto &x : t)
		x.join();
	std::printf("%d\n", s);
	return s != 33;
}
