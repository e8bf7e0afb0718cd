/* norn-test
 * errors: yes
 * finding: race main::operator\(\)::sum (predicted|observed) at captured.cc:19 .*, captured.cc:19
 * finding: race main::operator\(\)::own (predicted|observed) at captured.cc:20 .*, captured.cc:20
 * silent: -O0 -DRIGHT
 */
/* What a lambda captures is called as in the source: by reference, and in a copy that two threads share. */
#include <mutex>
#include <thread>

int main()
{
	int sum = 0;
	std::mutex lock;
	auto add = [&sum, &lock, own = 0](int n) mutable {
#ifdef RIGHT
		std::lock_guard<std::mutex> guard(lock);
#endif
		sum += n;
		own += n;
		(void)lock;
	};
	std::thread a([&] { add(1); }), b([&] { add(2); });
	a.join();
	b.join();
	return sum == 3 ? 0 : 0;
}
