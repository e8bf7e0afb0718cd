"""Loads for servers, on the loopback only. Each connection's requests and the replies it must get are known beforehand."""

import contextlib
import socket
import subprocess
import threading
import time

REPLY_SECONDS = 120


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=REPLY_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def ask(self, request, reply):
        """Sends request, expects exactly reply."""
        self.socket.sendall(request)
        got = self.file.read(len(reply))
        if got != reply:
            raise AssertionError(f"{request[:60]!r} was answered {got[:60]!r}, not {reply[:60]!r}")

    def close(self):
        self.file.close()
        self.socket.close()


def wait_until_open(port, child):
    deadline = time.monotonic() + REPLY_SECONDS
    while time.monotonic() < deadline:
        if child.poll() is not None:
            raise AssertionError(f"the server ended with {child.returncode} before it listened")
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        time.sleep(0.05)
    raise AssertionError("the server did not listen in time")


def in_threads(count, work, port):
    """work(connection, i) on count connections at once; the first thing that goes wrong is raised."""
    errors = []

    def one(i):
        try:
            connection = Connection(port)
            work(connection, i)
            connection.close()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=one, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@contextlib.contextmanager
def server(command, port, log):
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        wait_until_open(port, child)
        yield child
        child.wait(timeout=REPLY_SECONDS)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


def memcached(port, connections=8, rounds=400):
    """Keys of its own per connection, and one counter that all of them raise."""
    first = Connection(port)
    first.ask(b"set total 0 0 1\r\n0\r\n", b"STORED\r\n")

    def work(c, i):
        for n in range(rounds):
            key, value = b"k%d-%d" % (i, n % 50), (b"%d:" % n) * (1 + n % 40)
            c.ask(b"set %b 0 0 %d\r\n%b\r\n" % (key, len(value), value), b"STORED\r\n")
            c.ask(b"get %b\r\n" % key, b"VALUE %b 0 %d\r\n%b\r\nEND\r\n" % (key, len(value), value))
            if n % 5 == 0:
                c.ask(b"delete %b\r\n" % key, b"DELETED\r\n")
                c.ask(b"get %b\r\n" % key, b"END\r\n")
            c.socket.sendall(b"incr total 1\r\n")
            c.file.readline()

    in_threads(connections, work, port)
    total = b"%d" % (connections * rounds)
    first.ask(b"get total\r\n", b"VALUE total 0 %d\r\n%b\r\nEND\r\n" % (len(total), total))
    first.socket.sendall(b"shutdown\r\n")
    first.close()


def resp(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(w), w) for w in words)


def redis(port, connections=16, rounds=20, pipeline=8):
    """Pipelined, so that several connections have work at once and the io-threads are used: they spin, each turn of which is an event,
    so the load is short."""

    def work(c, i):
        for n in range(rounds):
            request, reply = b"", b""
            for k in range(pipeline):
                key, value = b"k%d-%d" % (i, k), b"%d." % n * (1 + n % 30)
                request += resp(b"SET", key, value) + resp(b"GET", key) + resp(b"RPUSH", b"l%d" % i, value)
                reply += b"+OK\r\n$%d\r\n%b\r\n:%d\r\n" % (len(value), value, n * pipeline + k + 1)
            c.ask(request, reply)
            c.socket.sendall(resp(b"INCR", b"total"))
            c.file.readline()

    in_threads(connections, work, port)
    last = Connection(port)
    total = b"%d" % (connections * rounds)
    last.ask(resp(b"GET", b"total"), b"$%d\r\n%b\r\n" % (len(total), total))
    last.close()
