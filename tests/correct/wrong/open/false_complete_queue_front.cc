/* norn c++ -std=c++20 -g -O1 -pthread false_complete_queue_front.cc -o w && norn run ./w      (-O0, -O1, -O2: 15 of 15
 * recordings)
 * reported: 0 findings; complete.
 * should be: use after free / double delete of a Job (two workers see the same q.front() before either pops), or at
 * least partial: section 15 "freed pointers: a read that took another pointer than
 * one that another thread frees ... the verdict is partial".
 * Since 2026-11-20 the verdict is partial where both workers have jobs (wrong/w05_freed_pointers.c, QUEUE), at -O1 and -O2. Here one takes them all:
 * R23 does not apply to what std::thread runs. */
#include <atomic>
#include "lucky.h"

#include <queue>
#include <thread>
#include <mutex>
/* front() under one lock, pop() under another region: an element twice, or gone */
struct Job {
	int id;
	std::string name;
};
static std::queue<Job *> q;
static std::mutex m;
static std::atomic<int> ran[64];
static Job *take()
{
	F(std::lock_guard<std::mutex> g(m); if (q.empty()) return nullptr; Job *j = q.front(); q.pop(); return j;)
	W(
	        Job * j; {
		        std::lock_guard<std::mutex> g(m);
		        if (q.empty())
			        return nullptr;
		        j = q.front();
	        } {
		        std::lock_guard<std::mutex> g(m);
		        q.pop();
	        } return j;)
}
static void work()
{
	while (Job *j = take()) {
		if (ran[j->id]++)
			abort(); /* @ */
		delete j;
		usleep(200);
	}
} //@
int main()
{
	for (int i = 0; i < 12; i++)
		q.push(new Job{i, "a job with a long name"});
	std::thread a(work);
	nap(4);
	std::thread b(work);
	a.join();
	b.join();
	return 0;
}
