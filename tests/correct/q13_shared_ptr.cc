/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: the last owner deletes, after what all owners did */
#include <memory>
#include <thread>
#include <cstdio>
struct S {
	int v[3] = {};
	~S()
	{
		std::printf("%d\n", v[0] + v[1] + v[2]);
	}
};
int main()
{
	auto p = std::make_shared<S>();
	std::weak_ptr<S> w = p;
	std::thread x([p]() mutable {
		p->v[0] = 1;
		p.reset();
	}),
	        y([p]() mutable {
		        p->v[1] = 2;
		        p.reset();
	        });
	std::thread z([w] {
		if (auto q = w.lock())
			q->v[2] = 0;
	});
	p.reset();
	x.join();
	y.join();
	z.join();
}
