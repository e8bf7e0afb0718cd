"""Random small C programs for tests/confirm/random: threads, locks, conditions, heap blocks, branches on what others write. Several in one file; the program's argument
chooses. Each ends by itself in any schedule, unless two of its threads deadlock."""
import random


class Program:
    def __init__(self, number, seed):
        self.random = random.Random(seed)
        self.prefix = f"p{number}"
        self.number = number
        self.threads = self.random.choice((2, 2, 3))
        self.variables = self.random.randint(2, 4)
        self.locks = self.random.randint(1, 3)
        self.heap = self.random.random() < 0.4
        self.condition = self.random.random() < 0.3
        self.lines = []

    def variable(self):
        return f"{self.prefix}_x{self.random.randrange(self.variables)}"

    def lock(self):
        return f"{self.prefix}_m{self.random.randrange(self.locks)}"

    def put(self, depth, text):
        self.lines.append("\t" * depth + text)

    def value(self):
        pick = self.random.random()
        if pick < 0.4:
            return str(self.random.randint(0, 3))
        if pick < 0.7:
            return self.variable()
        return self.random.choice(("r", f"r + {self.variable()}", f"{self.variable()} * 2"))

    def test(self):
        what = self.random.choice((self.variable(), self.variable(), "r"))
        return f"{what} {self.random.choice(('==', '!=', '<', '>'))} {self.random.randint(0, 2)}"

    def block(self, depth, count, held):
        for _ in range(count):
            self.statement(depth, held)

    def statement(self, depth, held):
        kinds = ["write", "write", "read", "add", "call"]
        if depth < 4:
            kinds += ["if", "if", "loop"]
            if len(held) < 2:
                kinds += ["lock", "lock", "lock"] + (["try"] if self.random.random() < 0.3 else [])
            if not held and self.random.random() < 0.3:
                kinds += ["atomic"]
        if self.heap:
            kinds += ["heap", "heap"]
        getattr(self, "put_" + self.random.choice(kinds))(depth, held)

    def put_write(self, depth, held):
        self.put(depth, f"{self.variable()} = {self.value()};")

    def put_read(self, depth, held):
        self.put(depth, f"r = {self.variable()};")

    def put_add(self, depth, held):
        self.put(depth, f"{self.variable()}++;")

    def put_call(self, depth, held):
        self.put(depth, self.random.choice((f"bump(&{self.variable()});", f"r = look(&{self.variable()});")))

    def put_if(self, depth, held):
        self.put(depth, f"if ({self.test()}) {{")
        self.block(depth + 1, self.random.randint(1, 2), held)
        if self.random.random() < 0.3:
            self.put(depth, "} else {")
            self.block(depth + 1, 1, held)
        self.put(depth, "}")

    def put_loop(self, depth, held):
        i = f"i{depth}"
        self.put(depth, f"for (int {i} = 0; {i} < {self.random.randint(2, 3)}; {i}++) {{")
        self.block(depth + 1, 1, held)
        self.put(depth, "}")

    def put_lock(self, depth, held):
        free = [f"{self.prefix}_m{i}" for i in range(self.locks) if f"{self.prefix}_m{i}" not in held]
        if not free:
            return
        lock = self.random.choice(free)
        self.put(depth, f"pthread_mutex_lock(&{lock});")
        self.block(depth + 1, self.random.randint(1, 3), held + [lock])
        self.put(depth, f"pthread_mutex_unlock(&{lock});")

    def put_try(self, depth, held):
        free = [f"{self.prefix}_m{i}" for i in range(self.locks) if f"{self.prefix}_m{i}" not in held]
        if not free:
            return
        lock = self.random.choice(free)
        self.put(depth, f"if (pthread_mutex_trylock(&{lock}) == 0) {{")
        self.block(depth + 1, 1, held + [lock])
        self.put(depth + 1, f"pthread_mutex_unlock(&{lock});")
        self.put(depth, "}")

    def put_atomic(self, depth, held):
        x = self.variable()
        self.put(depth, f'norn_atomic_begin("block");')
        self.put(depth, f"r = {x};")
        self.put(depth, f"{x} = r + 1;")
        self.put(depth, f"norn_atomic_end();")

    def put_heap(self, depth, held):
        block = f"{self.prefix}_block"
        self.put(depth, self.random.choice((f"{block}->value = {self.random.randint(0, 3)};", f"r = {block}->value;")))

    def pause(self):
        if self.random.random() < 0.5:
            self.put(1, f"usleep({self.random.choice((0, 100, 400, 1000))});")

    def thread(self, number):
        self.put(0, f"static void *{self.prefix}_t{number}(void *unused)")
        self.put(0, "{")
        self.put(1, "int r = 0;")
        self.pause()
        if self.condition and number == 0:
            self.put(1, f"pthread_mutex_lock(&{self.prefix}_m0);")
            self.put(1, f"while (!{self.prefix}_flag)")
            self.put(2, f"pthread_cond_wait(&{self.prefix}_c, &{self.prefix}_m0);")
            self.put(1, f"pthread_mutex_unlock(&{self.prefix}_m0);")
        self.block(1, self.random.randint(1, 3), [])
        self.pause()
        if self.condition and number == 1:
            self.put(1, f"pthread_mutex_lock(&{self.prefix}_m0);")
            self.put(1, f"{self.prefix}_flag = 1;")
            self.put(1, f"pthread_cond_signal(&{self.prefix}_c);")
            self.put(1, f"pthread_mutex_unlock(&{self.prefix}_m0);")
        self.block(1, self.random.randint(1, 3), [])
        if self.heap and number == self.threads - 1:
            self.put(1, "usleep(2000);")
            self.put(1, f"free({self.prefix}_block);")
        self.put(1, "sink = r;")
        self.put(1, "return unused;")
        self.put(0, "}")
        self.put(0, "")

    def text(self):
        p = self.prefix
        for i in range(self.variables):
            self.put(0, f"int {p}_x{i};")
        for i in range(self.locks):
            self.put(0, f"static pthread_mutex_t {p}_m{i} = PTHREAD_MUTEX_INITIALIZER;")
        if self.condition:
            self.put(0, f"static pthread_cond_t {p}_c = PTHREAD_COND_INITIALIZER;")
            self.put(0, f"static int {p}_flag;")
        if self.heap:
            self.put(0, f"struct node *{p}_block;")
        for i in range(self.threads):
            self.thread(i)
        self.put(0, f"static void {p}(void)")
        self.put(0, "{")
        self.put(1, f"pthread_t threads[{self.threads}];")
        if self.heap:
            self.put(1, f"{p}_block = calloc(1, sizeof *{p}_block);")
        for i in range(self.threads):
            self.put(1, f"pthread_create(&threads[{i}], NULL, {p}_t{i}, NULL);")
        self.put(1, f"for (int i = 0; i < {self.threads}; i++)")
        self.put(2, "pthread_join(threads[i], NULL);")
        self.put(0, "}")
        self.put(0, "")
        return "\n".join(self.lines)


HEAD = """#include <norn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct node {
	long value;
};
static __thread int sink;

__attribute__((noinline)) static void bump(int *x)
{
	*x = *x + 1;
}

__attribute__((noinline)) static int look(int *x)
{
	return *x > 1 ? *x : 0;
}

"""


def generate(count, seed):
    """The text of a file with count programs."""
    parts = [HEAD] + [Program(i, f"{seed} {i}").text() for i in range(count)]
    parts.append("int main(int argc, char **argv)\n{\n\tswitch (argc > 1 ? atoi(argv[1]) : 0) {\n")
    for i in range(count):
        parts.append(f"\tcase {i}:\n\t\tp{i}();\n\t\tbreak;\n")
    parts.append("\t}\n\treturn 0;\n}\n")
    return "".join(parts)


if __name__ == "__main__":
    import sys

    print(generate(int(sys.argv[1]), sys.argv[2]))
