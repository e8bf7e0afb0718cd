/* norn-test
 * cc: -std=c++20 -g -O1 -pthread
 * stdout: async 10, deferred 7, promise error, packaged 6, shared 3 readers, once 1 after 2 failures, stopped 1, barrier 8, semaphore 4, coroutine 6, any 5
 */
/* Threads as C++20 has them: futures, exceptions that are handed over, stop tokens, barriers, latches, semaphores, waits on atomics, coroutines. */
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

struct numbers {
	struct promise_type {
		int value = 0;
		numbers get_return_object()
		{
			return {std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend()
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		std::suspend_always yield_value(int v)
		{
			value = v;
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			throw;
		}
	};
	std::coroutine_handle<promise_type> handle;
};

static numbers count_to(int n, std::mutex &lock)
{
	for (int i = 1; i <= n; i++) {
		lock.lock();
		lock.unlock();
		co_yield i;
	}
}

static int sum_of_coroutine()
{
	std::mutex lock;
	auto all = count_to(3, lock);
	int sum = 0;
	for (all.handle.resume(); !all.handle.done(); all.handle.resume())
		sum += all.handle.promise().value;
	all.handle.destroy();
	return sum;
}

int main()
{
	std::vector<std::future<int>> parts;
	for (int i = 1; i <= 4; i++)
		parts.push_back(std::async(std::launch::async, [i] { return i; }));
	int async = 0;
	for (auto &part : parts)
		async += part.get();
	auto deferred = std::async(std::launch::deferred, [] { return 7; });
	std::promise<int> promise;
	auto kept = promise.get_future();
	std::thread([p = std::move(promise)]() mutable {
		p.set_exception(std::make_exception_ptr(std::runtime_error("error")));
	}).join();
	const char *error = "none";
	try {
		kept.get();
	} catch (const std::runtime_error &) {
		error = "error";
	}
	std::packaged_task<int(int)> task([](int x) { return x * 2; });
	auto doubled = task.get_future();
	std::jthread(std::move(task), 3);

	std::shared_mutex shared;
	std::atomic<int> readers = 0;
	{
		std::latch all(3);
		std::vector<std::jthread> threads;
		for (int i = 0; i < 3; i++)
			threads.emplace_back([&] {
				std::shared_lock hold(shared);
				readers++;
				all.arrive_and_wait();
			});
	}
	std::once_flag flag;
	int once = 0, failures = 0;
	for (int i = 0; i < 4; i++)
		try {
			std::call_once(flag, [&] {
				if (failures < 2)
					throw i;
				once++;
			});
		} catch (int) {
			failures++;
		}
	int stopped = 0, any = 0;
	{
		std::mutex mutex;
		std::condition_variable_any changed;
		std::jthread waits([&](std::stop_token token) {
			std::unique_lock hold(mutex);
			stopped = !changed.wait(hold, token, [] { return false; });
		});
	}
	int rounds = 0, taken = 0;
	{
		std::barrier both(2, [&]() noexcept { rounds++; });
		auto run = [&] {
			for (int i = 0; i < 8; i++)
				both.arrive_and_wait();
		};
		std::jthread other(run);
		run();
	}
	{
		std::counting_semaphore<4> slots(0);
		std::jthread gives([&] {
			slots.release(2);
			slots.release(2);
		});
		for (int i = 0; i < 4; i++, taken++)
			slots.acquire();
	}
	{
		std::atomic<int> word = 0;
		std::jthread sets([&] {
			word = 5;
			word.notify_all();
		});
		word.wait(0);
		any = word;
	}
	std::printf("async %d, deferred %d, promise %s, packaged %d, shared %d readers, once %d after %d failures, stopped %d, "
	            "barrier %d, semaphore %d, coroutine %d, any %d\n",
	        async, deferred.get(), error, doubled.get(), readers.load(), once, failures, stopped, rounds, taken,
	        sum_of_coroutine(), any);
	return 0;
}
