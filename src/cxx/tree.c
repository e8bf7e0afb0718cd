/* The tree of std::map and std::set, as libstdc++ exports the functions that walk and change it: red and black, by the textbook
 * (Cormen, Leiserson, Rivest). Its header stands above the root: parent is the root, left the least node, right the greatest; it is
 * red, and the root is black. The shape is the same as libstdc++'s (tests/programs/trees.cc holds them against each other). */
#include <stdbool.h>
#include <stddef.h>

enum color { RED, BLACK };

struct tree_node {
	enum color color;
	struct tree_node *parent, *left, *right;
};

#define TREE(result, name, symbol, ...)                                                                                            \
	result name(__VA_ARGS__) __asm__(symbol);                                                                                  \
	result name(__VA_ARGS__)

static struct tree_node *least(struct tree_node *n)
{
	while (n->left)
		n = n->left;
	return n;
}

static struct tree_node *greatest(struct tree_node *n)
{
	while (n->right)
		n = n->right;
	return n;
}

static struct tree_node *next(struct tree_node *n)
{
	if (n->right)
		return least(n->right);
	struct tree_node *above = n->parent;
	while (n == above->right) {
		n = above;
		above = above->parent;
	}
	/* With a root alone, which is the greatest, n is the header now, and above the root. */
	return n->right != above ? above : n;
}

static struct tree_node *previous(struct tree_node *n)
{
	if (n->color == RED && n->parent->parent == n)
		return n->right; /* the header: the end */
	if (n->left)
		return greatest(n->left);
	struct tree_node *above = n->parent;
	while (n == above->left) {
		n = above;
		above = above->parent;
	}
	return above;
}

TREE(struct tree_node *, norn_tree_next, "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", struct tree_node *n)
{
	return next(n);
}

TREE(struct tree_node *, norn_tree_next_const, "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base", struct tree_node *n)
{
	return next(n);
}

TREE(struct tree_node *, norn_tree_previous, "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", struct tree_node *n)
{
	return previous(n);
}

TREE(struct tree_node *, norn_tree_previous_const, "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base", struct tree_node *n)
{
	return previous(n);
}

/* What pointed to n points to other. */
static void put_in_place(struct tree_node *n, struct tree_node *other, struct tree_node **root)
{
	if (n == *root)
		*root = other;
	else if (n == n->parent->left)
		n->parent->left = other;
	else
		n->parent->right = other;
}

static void rotate_left(struct tree_node *n, struct tree_node **root)
{
	struct tree_node *up = n->right;
	n->right = up->left;
	if (up->left)
		up->left->parent = n;
	up->parent = n->parent;
	put_in_place(n, up, root);
	up->left = n;
	n->parent = up;
}

static void rotate_right(struct tree_node *n, struct tree_node **root)
{
	struct tree_node *up = n->left;
	n->left = up->right;
	if (up->right)
		up->right->parent = n;
	up->parent = n->parent;
	put_in_place(n, up, root);
	up->right = n;
	n->parent = up;
}

/* n is red, and so may its parent be. */
static void rebalance_insert(struct tree_node *n, struct tree_node **root)
{
	while (n != *root && n->parent->color == RED) {
		struct tree_node *above = n->parent->parent;
		bool left = n->parent == above->left;
		struct tree_node *uncle = left ? above->right : above->left;
		if (uncle && uncle->color == RED) {
			n->parent->color = BLACK;
			uncle->color = BLACK;
			above->color = RED;
			n = above;
			continue;
		}
		if (left) {
			if (n == n->parent->right) {
				n = n->parent;
				rotate_left(n, root);
			}
			n->parent->color = BLACK;
			above->color = RED;
			rotate_right(above, root);
		} else {
			if (n == n->parent->left) {
				n = n->parent;
				rotate_right(n, root);
			}
			n->parent->color = BLACK;
			above->color = RED;
			rotate_left(above, root);
		}
	}
	(*root)->color = BLACK;
}

TREE(void, norn_tree_insert, "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_", bool left, struct tree_node *n,
        struct tree_node *parent, struct tree_node *header)
{
	n->parent = parent;
	n->left = n->right = NULL;
	n->color = RED;
	if (left) {
		parent->left = n; /* if parent is the header: the least, too */
		if (parent == header) {
			header->parent = n;
			header->right = n;
		} else if (parent == header->left) {
			header->left = n;
		}
	} else {
		parent->right = n;
		if (parent == header->right)
			header->right = n;
	}
	rebalance_insert(n, &header->parent);
}

/* The way through n, which may be null, has one black node too few; parent is above it. */
static void rebalance_erase(struct tree_node *n, struct tree_node *parent, struct tree_node **root)
{
	while (n != *root && (!n || n->color == BLACK)) {
		bool left = n == parent->left;
		struct tree_node *other = left ? parent->right : parent->left;
		if (other->color == RED) {
			other->color = BLACK;
			parent->color = RED;
			if (left) {
				rotate_left(parent, root);
				other = parent->right;
			} else {
				rotate_right(parent, root);
				other = parent->left;
			}
		}
		if ((!other->right || other->right->color == BLACK) && (!other->left || other->left->color == BLACK)) {
			other->color = RED;
			n = parent;
			parent = parent->parent;
			continue;
		}
		struct tree_node *outer = left ? other->right : other->left;
		if (!outer || outer->color == BLACK) {
			(left ? other->left : other->right)->color = BLACK;
			other->color = RED;
			if (left) {
				rotate_right(other, root);
				other = parent->right;
				outer = other->right;
			} else {
				rotate_left(other, root);
				other = parent->left;
				outer = other->left;
			}
		}
		other->color = parent->color;
		parent->color = BLACK;
		if (outer)
			outer->color = BLACK;
		if (left)
			rotate_left(parent, root);
		else
			rotate_right(parent, root);
		break;
	}
	if (n)
		n->color = BLACK;
}

/* The node after n, which has two children, takes its place and its color. What stood below that node is returned, and what is
 * above it now. */
static struct tree_node *take_place_of(
        struct tree_node *n, struct tree_node *after, struct tree_node **root, struct tree_node **ret_parent)
{
	struct tree_node *below = after->right;
	n->left->parent = after;
	after->left = n->left;
	if (after != n->right) {
		*ret_parent = after->parent;
		if (below)
			below->parent = after->parent;
		after->parent->left = below;
		after->right = n->right;
		n->right->parent = after;
	} else {
		*ret_parent = after;
	}
	put_in_place(n, after, root);
	after->parent = n->parent;
	enum color color = after->color;
	after->color = n->color;
	n->color = color;
	return below;
}

TREE(struct tree_node *, norn_tree_erase, "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_", struct tree_node *n,
        struct tree_node *header)
{
	struct tree_node **root = &header->parent;
	struct tree_node *below, *parent;
	if (n->left && n->right) {
		below = take_place_of(n, least(n->right), root, &parent);
	} else {
		below = n->left ? n->left : n->right;
		parent = n->parent;
		if (below)
			below->parent = parent;
		put_in_place(n, below, root);
		if (header->left == n)
			header->left = n->right ? least(below) : parent;
		if (header->right == n)
			header->right = n->left ? greatest(below) : parent;
	}
	if (n->color == BLACK)
		rebalance_erase(below, parent, root);
	return n;
}

TREE(unsigned, norn_tree_black_count, "_ZSt20_Rb_tree_black_countPKSt18_Rb_tree_node_baseS1_", const struct tree_node *n,
        const struct tree_node *root)
{
	unsigned count = 0;
	for (; n; n = n == root ? NULL : n->parent)
		count += n->color == BLACK;
	return count;
}

TREE(void, norn_tree_rotate_left, "_ZSt20_Rb_tree_rotate_leftPSt18_Rb_tree_node_baseRS0_", struct tree_node *n,
        struct tree_node **root)
{
	rotate_left(n, root);
}

TREE(void, norn_tree_rotate_right, "_ZSt21_Rb_tree_rotate_rightPSt18_Rb_tree_node_baseRS0_", struct tree_node *n,
        struct tree_node **root)
{
	rotate_right(n, root);
}
