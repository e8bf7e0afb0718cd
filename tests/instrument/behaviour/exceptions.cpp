/* C++: exceptions through instrumented frames, destructors, rethrow, virtual calls, statics, templates, comdats, noexcept. */
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int alive, log_[100], logged;

struct Guard {
	int id;
	explicit Guard(int i) : id(i)
	{
		alive++;
	}
	~Guard()
	{
		alive--;
		log_[logged++ % 100] = id;
	}
};

struct Base {
	virtual ~Base() = default;
	virtual int run(int n) = 0;
	int total = 0;
};

struct Thrower : Base {
	int run(int n) override
	{
		Guard g(n);
		total += n;
		if (n == 0)
			throw std::runtime_error("bottom");
		return run(n - 1) + 1;
	}
};

struct Other : Base {
	std::vector<int> values;
	int run(int n) override
	{
		for (int i = 0; i < n; i++)
			values.push_back(total += i);
		return values.at(n - 1);
	}
};

__attribute__((noinline)) static int guarded(Base &b, int n)
{
	try {
		Guard g(100 + n);
		return b.run(n);
	} catch (const std::out_of_range &) {
		return -1;
	} catch (std::exception &e) {
		log_[logged++ % 100] = e.what()[0];
		if (n > 3)
			throw;
		return -2;
	}
}

template <typename T> T &once()
{
	static T value{};
	return value;
}

static std::function<int(int)> adder(int by)
{
	return [by](int x) {
		once<int>() += by;
		return x + by;
	};
}

static std::map<std::string, int> words;

int main()
{
	std::unique_ptr<Base> a = std::make_unique<Thrower>(), b = std::make_unique<Other>();
	std::printf("%d %d %d\n", guarded(*a, 3), guarded(*b, 5), guarded(*b, 0));
	try {
		guarded(*a, 6);
	} catch (...) {
		std::printf("caught, %d alive\n", alive);
	}
	auto f = adder(4);
	std::printf("%d %d %d\n", f(1), f(2), once<int>());
	for (const char *w : {"x", "y", "x"})
		words[w]++;
	int in_thread = 0;
	std::thread([&] {
		try {
			a->run(2);
		} catch (std::exception &) {
			in_thread = a->total;
		}
	}).join();
	std::printf("%d %d %d\n", words["x"], in_thread, alive);
	for (int i = 0; i < logged; i++)
		std::printf("%d,", log_[i]);
	std::puts("");
}
