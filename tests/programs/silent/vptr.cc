/* norn-test
 * errors: yes
 * silent: -O0
 * silent: -O1
 * silent: -O2
 */
/* A destructor begins by storing the class of the object, which is there already, and the thread that it then joins calls virtual
 * functions meanwhile: the source writes nothing there. */
#include <thread>

struct base {
	std::thread thread;
	int calls = 0;
	void start()
	{
		thread = std::thread([this] { run(); });
	}
	virtual void run() = 0;
	virtual ~base()
	{
	}
};

struct worker : base {
	worker()
	{
		start();
	}
	void run() override
	{
		calls++;
	}
	~worker()
	{
		thread.join();
	}
};

int main()
{
	worker w;
	return 0;
}
