"""The other side of the wire, written from docs/observer.md: frames and messages, and an observer that listens and keeps what it hears."""
import os
import socket
import threading

HANG = 240  # seconds: what has not come by then will not come. Nothing else depends on time.
PATIENT = f"patience={HANG * 1000},wait={HANG * 1000},flush={HANG * 1000}"  # a program whose observer may be as slow as it likes
VERSION = 2
HELLO, WELCOME, REFUSED, MODULE, READY, FILTER, THREAD, EVENT, LOST, END, BYE, WAIT = range(1, 13)
CONTROL, EVENTS = 1, 2
READ, WRITE, RMW, EXTERNAL, SYNC, THREAD_OP, ENTER, LEAVE, ALLOC, FREE, MARK = range(1, 12)
MASK = 0xFFFFFFFF
P1, P2, P3, P4, P5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393


def rotate(x, n):
    return (x << n | x >> 32 - n) & MASK


def checksum(data):
    """XXH32, seed 0."""
    at, size = 0, len(data)
    if size >= 16:
        v = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        while at + 16 <= size:
            for i in range(4):
                v[i] = rotate((v[i] + int.from_bytes(data[at:at + 4], "little") * P2) & MASK, 13) * P1 & MASK
                at += 4
        h = sum(map(rotate, v, (1, 7, 12, 18))) & MASK
    else:
        h = P5
    h = (h + size) & MASK
    while at + 4 <= size:
        h = rotate((h + int.from_bytes(data[at:at + 4], "little") * P3) & MASK, 17) * P4 & MASK
        at += 4
    for byte in data[at:]:
        h = rotate((h + byte * P5) & MASK, 11) * P1 & MASK
    h = (h ^ h >> 15) * P2 & MASK
    h = (h ^ h >> 13) * P3 & MASK
    return h ^ h >> 16


def frame(kind, payload=b""):
    head = len(payload).to_bytes(4, "little") + bytes([kind, VERSION, 0, 0]) + payload
    return head + checksum(head).to_bytes(4, "little")


def number(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def text(data):
    return number(len(data)) + data


class Payload:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        n = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            n |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return n

    def numbers(self, count):
        return [self.number() for _ in range(count)]

    def text(self):
        size = self.number()
        self.at += size
        return self.data[self.at - size:self.at]

    def done(self):
        assert self.at == len(self.data), "bytes are left over"


def make_filter(modules=0, everything=False, kinds=0, sync=0, threads=0, marks=0, sites=(), ranges=(), names=()):
    steps = b"".join(number(b - a) for a, b in zip([0, *sites], sites))
    spans = b"".join(b"".join(map(number, one)) for one in ranges)
    words = b"".join(text(name.encode()) for name in names)
    head = b"".join(map(number, (modules, everything, kinds, sync, threads, marks)))
    return frame(FILTER, head + number(len(sites)) + text(steps) + number(len(ranges)) + text(spans) + number(len(names)) + text(words))


def parse_event(data):
    p = Payload(data)
    fields = ("kind", "op", "thread", "site", "call_site", "addr", "size", "value", "argument", "time", "index", "number", "depth")
    event = dict(zip(fields, p.numbers(len(fields))))
    event["args"] = p.numbers(p.number())
    event["data"], event["name"] = p.text(), p.text().decode()
    thread, clock = 0, {}
    for _ in range(p.number()):
        thread += p.number()
        clock[thread] = p.number()
    p.done()
    event["clock"] = clock
    return event


class Connection:
    """One connection of a program, after its hello."""

    def __init__(self, sock):
        self.sock, self.buffer, self.at, self.frames = sock, b"", 0, 0

    def frame(self):
        """The next (type, payload), or None at the end."""
        while True:
            if len(self.buffer) - self.at >= 8:
                size = int.from_bytes(self.buffer[self.at:self.at + 4], "little") + 12
                if len(self.buffer) - self.at >= size:
                    whole = self.buffer[self.at:self.at + size]
                    self.at += size
                    self.frames += 1  # of many, the first ones' checksums will do: this is slow
                    assert self.frames > 1000 or checksum(whole[:-4]) == int.from_bytes(whole[-4:], "little"), "a wrong checksum"
                    assert whole[5] == VERSION
                    return whole[4], whole[8:-4]
            try:
                more = self.sock.recv(1 << 16)
            except OSError:
                return None
            if not more:
                return None
            self.buffer, self.at = self.buffer[self.at:] + more, 0


class Observer:
    """Listens, answers hello, and keeps messages. choose(observer) gives the filter when READY comes, None: no answer."""

    def __init__(self, path, choose=None, token=b"secret", after=None):
        self.path, self.choose, self.token, self.after = path, choose, token, after
        self.modules, self.threads, self.events, self.ends, self.lost, self.waits = [], {}, [], {}, [], []
        self.bye = self.hello = None
        self.readies, self.connections, self.refusals, self.mistakes = 0, [], 0, []
        self.lock = threading.Lock()
        self.workers = []
        self.open = 0
        self.closed = threading.Condition(self.lock)  # and further events have come
        self.ended = threading.Event()  # the program has, as far as its user can see: for those who set it
        if path.startswith("/"):
            if os.path.exists(path):
                os.unlink(path)
            self.server = socket.socket(socket.AF_UNIX)
            self.server.bind(path)
            self.where = f"unix:{path}"
        else:  # a host
            self.server = socket.socket(socket.AF_INET)
            self.server.bind((path, 0))
            self.where = f"tcp:{path}:{self.server.getsockname()[1]}"
        self.server.listen(16)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                sock, _ = self.server.accept()
            except OSError:
                return
            with self.lock:
                self.open += 1
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock):
        try:
            self.converse(Connection(sock))
        except (AssertionError, IndexError) as error:
            self.mistakes.append(repr(error))
        except OSError:
            pass
        sock.close()
        with self.closed:
            self.open -= 1
            self.closed.notify_all()

    def converse(self, connection):
        first = connection.frame()
        if not first:
            return
        kind, payload = first
        assert kind == HELLO, f"{kind} before HELLO"
        p = Payload(payload)
        version, token, pid, session, role = p.number(), p.text(), p.number(), p.number(), p.number()
        lane, lanes, program, directory = p.number(), p.number(), p.text(), p.text()
        p.done()
        if token != self.token:
            self.refusals += 1
            connection.sock.sendall(frame(REFUSED, text(b"the token is wrong")))
            return
        with self.lock:
            self.connections.append((role, lane, connection.sock))
            assert self.hello in (None, (pid, session)), "another session"
            self.hello = pid, session
        connection.sock.sendall(frame(WELCOME))
        if self.after and not self.after(self, role, lane, connection):
            return
        while (message := connection.frame()):
            self.take(connection, *message)

    def take(self, connection, kind, payload):
        p = Payload(payload)
        if kind == MODULE:
            self.modules.append((p.number(), p.number(), p.text().decode(), p.text()))
        elif kind == READY:
            self.readies += 1
            modules = p.number()
            assert modules == len(self.modules), "READY counts other modules"
            answer = self.choose(self) if self.choose else None
            if answer:
                connection.sock.sendall(answer)
        elif kind == THREAD:
            info = p.numbers(4)
            with self.lock:
                old = self.threads.get(info[0], (0, 0, 0, b""))
                self.threads[info[0]] = info[1], info[2], info[3], p.text() or old[3]
        elif kind == EVENT:
            event = parse_event(payload)
            with self.lock:
                self.events.append(event)
                self.closed.notify_all()
        elif kind == LOST:
            self.lost.append(p.numbers(3))
        elif kind == WAIT:
            self.waits.append(p.numbers(3))
        elif kind == END:
            thread, count, entered = p.numbers(3)
            assert entered == self.threads[thread][2], "END and THREAD differ"
            self.ends[thread] = count
        elif kind == BYE:
            self.bye = dict(zip(("events", "lost", "seen", "late", "unrecorded", "threads", "status", "forked"), p.numbers(8)))
        else:
            assert False, f"message {kind}"

    def wait(self, condition):
        """Waits until events have come so that it holds."""
        with self.closed:
            return self.closed.wait_for(condition, HANG)

    def finish(self):
        """Waits until all connections are closed."""
        done = self.wait(lambda: self.open == 0)
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        if self.path.startswith("/"):
            os.unlink(self.path)
        return done
