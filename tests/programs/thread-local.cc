/* norn-test
 * cc: -O0 -pthread
 * cc: -O2 -pthread
 * stdout: second late first | second late first | second late first | second late first
 * dump: main/3 +leave +Speaker::~Speaker
 * dump: main/3 +end
 */
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

// Destructors of thread_local objects run when their thread ends, in reverse order, and may lock, allocate, and make further ones;
// those of main run before those of static storage.
static std::mutex lock;
static std::vector<std::string> said;

struct Speaker {
	std::string name;
	explicit Speaker(const char *n) : name(n)
	{
	}
	~Speaker();
};

static thread_local int depth;

struct Late {
	~Late()
	{
		std::lock_guard<std::mutex> hold(lock);
		said.push_back("late");
	}
};

Speaker::~Speaker()
{
	if (depth++ == 0) {
		static thread_local Late late; // made while others are destroyed
		(void)&late;
	}
	std::lock_guard<std::mutex> hold(lock);
	said.push_back(name);
}

static thread_local Speaker first("first"), second("second");

struct Last {
	~Last()
	{
		for (const std::string &word : said)
			std::printf("%s ", word.c_str());
		std::printf("\n");
	}
} last;

int main()
{
	for (int i = 0; i < 3; i++) {
		std::thread([] { (void)(first.name.size() + second.name.size()); }).join();
		std::lock_guard<std::mutex> hold(lock);
		said.push_back("|");
	}
	(void)first.name.size();
	return 0;
}
