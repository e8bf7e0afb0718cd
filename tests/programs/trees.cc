/* norn-test
 * cc: -O0
 * cc: -O1
 * stdout: 600 changes, 0 differences
 * dump: enter .*norn_tree_insert
 */
/* The tree of src/cxx has the same shape as libstdc++'s after each insertion and removal. */
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>

typedef std::_Rb_tree_node_base node;
typedef void inserting(bool left, node *n, node *parent, node &header);
typedef node *erasing(node *n, node &header);

struct numbered : node {
	int key;
};

struct tree {
	node header;
	numbered all[60];
	bool in[60];
};

static tree ours, theirs;

static void begin(tree &t)
{
	t.header._M_color = std::_S_red;
	t.header._M_parent = nullptr;
	t.header._M_left = t.header._M_right = &t.header;
	for (int i = 0; i < 60; i++)
		t.all[i].key = i;
}

static void put(tree &t, int key, inserting *insert)
{
	node *parent = &t.header, *at = t.header._M_parent;
	bool left = true;
	while (at) {
		parent = at;
		left = key < static_cast<numbered *>(at)->key;
		at = left ? at->_M_left : at->_M_right;
	}
	insert(left, &t.all[key], parent, t.header);
	t.in[key] = true;
}

static long place(const tree &t, const node *n)
{
	return n == &t.header ? -1 : !n ? -2 : static_cast<const numbered *>(n) - t.all;
}

static bool same(const node *a, const node *b)
{
	return a->_M_color == b->_M_color && place(ours, a->_M_parent) == place(theirs, b->_M_parent) &&
	       place(ours, a->_M_left) == place(theirs, b->_M_left) && place(ours, a->_M_right) == place(theirs, b->_M_right);
}

int main()
{
	inserting *insert = (inserting *)dlsym(RTLD_DEFAULT, "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
	erasing *erase = (erasing *)dlsym(RTLD_DEFAULT, "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_");
	int differences = 0;
	begin(ours);
	begin(theirs);
	srand(1);
	for (int i = 0; i < 600; i++) {
		int key = rand() % 60;
		if (ours.in[key]) {
			ours.in[key] = theirs.in[key] = false;
			std::_Rb_tree_rebalance_for_erase(&ours.all[key], ours.header);
			erase(&theirs.all[key], theirs.header);
		} else {
			put(ours, key, std::_Rb_tree_insert_and_rebalance);
			put(theirs, key, insert);
		}
		differences += !same(&ours.header, &theirs.header);
		for (int k = 0; k < 60; k++)
			differences += ours.in[k] && !same(&ours.all[k], &theirs.all[k]);
		node *n = ours.header._M_left;
		for (int k = 0; k < 60; k++)
			if (ours.in[k]) {
				differences += n != &ours.all[k] || (k != place(ours, ours.header._M_left) &&
				                                            place(ours, std::_Rb_tree_decrement(n)) >= k);
				n = std::_Rb_tree_increment(n);
			}
		differences += n != &ours.header;
	}
	printf("600 changes, %d differences\n", differences);
	return 0;
}
