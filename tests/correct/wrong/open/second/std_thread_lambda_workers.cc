/* std::thread workers made of lambdas ([i]); one does all
   Failing order: second takes a job
   Shown with -DFAIL: tsan yes */
#include "hostile.h"
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
std::mutex m;
std::queue<int> q;
int total;
int main()
{
	for (int i = 0; i < 4; i++)
		q.push(i);
	std::vector<std::thread> t;
	for (int i = 0; i < 2; i++) {
		t.emplace_back([i] {
			for (;;) {
				int j;
				{
					std::lock_guard g(m);
					if (q.empty())
						return;
					j = q.front();
					q.pop();
				}
				total += j;
				B(500);
			}
		});
		G(3000);
	}
	for (auto &x : t)
		x.join();
	return total == 77;
}
