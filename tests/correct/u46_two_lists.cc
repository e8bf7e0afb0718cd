/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: nodes go from list to list in both directions; both locks are taken at once
#include <cstdio>
#include <list>
#include <mutex>
#include <thread>
struct guarded {
	std::mutex m;
	std::list<int> l;
	int moves = 0;
};
static guarded a, b;
static void move(guarded &from, guarded &to)
{
	for (int i = 0; i < 6; i++) {
		std::scoped_lock l(from.m, to.m);
		if (from.l.empty())
			continue;
		to.l.splice(to.l.begin(), from.l, from.l.begin());
		from.moves++;
		to.l.front()++;
	}
}
int main()
{
	for (int i = 0; i < 4; i++)
		a.l.push_back(0);
	std::thread x(move, std::ref(a), std::ref(b)), y(move, std::ref(b), std::ref(a));
	x.join();
	y.join();
	int sum = 0;
	for (int v : a.l)
		sum += v;
	for (int v : b.l)
		sum += v;
	std::printf("%d\n", sum == a.moves + b.moves);
	return sum != a.moves + b.moves;
}
