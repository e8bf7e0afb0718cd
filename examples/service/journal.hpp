// What the service has done, for its operator.
#ifndef JOURNAL_HPP
#define JOURNAL_HPP

#include <mutex>

class Journal {
public:
	void add()
	{
		std::lock_guard<std::mutex> held(mutex_);
		entries_++;
	}
	int entries()
	{
		std::lock_guard<std::mutex> held(mutex_);
		return entries_;
	}

private:
	std::mutex mutex_;
	int entries_ = 0;
};

#endif
