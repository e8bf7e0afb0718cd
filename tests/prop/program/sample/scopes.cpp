namespace space
{
struct base {
	int inherited;
	virtual ~base()
	{
	}
};
class thing : public base
{
      public:
	struct node;
	static int total;
	int member(int by);
	node *nodes;
};
struct thing::node {
	thing *owner;
};
int thing::total = 5;
int thing::member(int by)
{
	static int calls = 1;
	calls += by;
	return calls + total;
}
static volatile int state = 8;
namespace
{
volatile int nameless = 9;
}
} // namespace space
static volatile int state = 3;
__attribute__((used)) int &alias = space::thing::total;
template <typename T> struct pair {
	T a, b;
};
pair<short> two = {1, 2};
int main()
{
	space::thing t;
	space::thing::node n = {&t};
	t.nodes = &n;
	return t.member(1) + space::state + state + space::nameless + alias + two.a;
}
