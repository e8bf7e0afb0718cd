#include <pthread.h>
class Box
{
      public:
	void put(int value);
	int last = 0;
};
void Box::put(int value)
{
	last = value;
}
static Box box;
static void *run(void *)
{
	box.put(3);
	return nullptr;
}
int main()
{
	pthread_t thread;
	pthread_create(&thread, nullptr, run, nullptr);
	return pthread_join(thread, nullptr);
}
