/* norn-test
 * errors: yes
 * cc: -O1 -pthread -lstdc++
 * check-exit: 3
 * note: memory that decides, and that no recorded write gave a value
 */
/* The tree of a map is linked by code without hooks, as the C++ library comes before what `norn cc` links. Where that writes what fresh memory holds already, 0, nothing is noticed, and
 * what is read there counts as unknown (V5). There is a race on y, so the verdict must not be complete. */
#include <chrono>
#include <map>
#include <pthread.h>
#include <thread>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int y;

static void fill()
{
	std::map<int, int> map;
	map[1] = 1;
}

static void *one(void *unused)
{
	fill();
	y = 1;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *two(void *unused)
{
	std::this_thread::sleep_for(std::chrono::milliseconds(100));
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	fill();
	y = 2;
	return unused;
}

int main()
{
	pthread_t a, b;
	pthread_create(&a, nullptr, one, nullptr);
	pthread_create(&b, nullptr, two, nullptr);
	pthread_join(a, nullptr);
	pthread_join(b, nullptr);
}
