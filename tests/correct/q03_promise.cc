/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: the value is set after the data are written; all readers wait for it */
#include <future>
#include <memory>
#include <thread>
#include <cstdio>
static int d, out[2];
int main()
{
	std::promise<std::unique_ptr<int>> p;
	std::shared_future<std::unique_ptr<int>> f = p.get_future().share();
	std::thread x([f] { out[0] = *f.get() + d; });
	std::thread y([f] { out[1] = *f.get() + d; });
	d = 5;
	p.set_value(std::make_unique<int>(7));
	x.join();
	y.join();
	std::printf("%d %d\n", out[0], out[1]);
	return 0;
}
