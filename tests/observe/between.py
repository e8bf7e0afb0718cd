"""What stands between a program and its observer in tests: it passes on what both say, keeps it, and mixes up the program's events; and a client that says it all
again."""
import os
import random
import socket
import threading

import wire


def connect(address):
    kind, _, rest = address.partition(":")
    if kind == "unix":
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(rest)
        return sock
    host, _, port = rest.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)))


def hello_role(payload):
    p = wire.Payload(payload)
    p.number(), p.text(), p.number(), p.number()
    return p.number()


class Proxy:
    """Listens at path; everything goes on to observer. Events wait until `hold` of them are there, and leave in random order, over any of the
    connections for events. frames keeps what the program said: (role, type, payload). cut(proxy, role, type, payload): False ends that connection."""

    def __init__(self, path, observer, seed=0, hold=0, cut=None):
        self.observer, self.hold, self.cut = observer, hold, cut
        self.random = random.Random(seed)
        self.lock = threading.Condition()
        self.pool, self.lanes, self.frames = [], [], []
        self.hello = None
        self.open = self.seen = 0
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
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
                self.seen += 1
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock):
        try:
            self.converse(wire.Connection(sock))
        except OSError:
            pass
        sock.close()
        with self.lock:
            self.open -= 1
            if self.open == 0:
                self.empty(0)
                for up in self.lanes:
                    up.close()
            self.lock.notify_all()

    def converse(self, program):
        kind, payload = program.frame()
        role = hello_role(payload)
        up = connect(self.observer)
        up.sendall(wire.frame(kind, payload))
        answer = wire.Connection(up).frame()
        with self.lock:
            self.hello = self.hello or payload
            if answer and role == wire.EVENTS:
                self.lanes.append(up)
        if not answer:
            return
        program.sock.sendall(wire.frame(*answer))
        if role == wire.CONTROL:
            threading.Thread(target=self.back, args=(up, program.sock), daemon=True).start()
        while (message := program.frame()):
            with self.lock:
                self.frames.append((role, *message))
                self.lock.notify_all()
            if self.cut and not self.cut(self, role, *message):
                if role == wire.EVENTS:
                    with self.lock:
                        self.lanes.remove(up)
                    up.close()
                return
            if role == wire.CONTROL:
                up.sendall(wire.frame(*message))
            else:
                with self.lock:
                    self.pool.append(wire.frame(*message))
                    self.empty(self.hold)
        if role == wire.CONTROL:
            with self.lock:
                self.lock.wait_for(lambda: self.open <= 1, wire.HANG)
            up.shutdown(socket.SHUT_RDWR)  # another thread reads from it

    def empty(self, hold):
        while len(self.pool) > hold and self.lanes:
            at = self.random.randrange(len(self.pool)) if self.hold else 0
            self.random.choice(self.lanes).sendall(self.pool.pop(at))

    @staticmethod
    def back(up, down):
        try:
            while (more := up.recv(1 << 16)):
                down.sendall(more)
        except OSError:
            pass

    def wait(self, condition):
        """Waits until the program has said so much that it holds."""
        with self.lock:
            return self.lock.wait_for(condition, wire.HANG)

    def finish(self):
        done = self.wait(lambda: self.seen and self.open == 0)
        self.server.close()
        return done


class Client:
    """A program that says what another one said: its hello, with another session number, and its frames."""

    def __init__(self, address, hello, session, lanes=4, token=None):
        self.address, self.said, self.session, self.token = address, hello, session, token
        self.control = self.dial(wire.CONTROL, 0)
        self.lanes = [self.dial(wire.EVENTS, lane) for lane in range(lanes)]

    def hello(self, role, lane):
        p = wire.Payload(self.said)
        version, token, pid, _, _, _, lanes, program, directory = (
            p.number(), p.text(), p.number(), p.number(), p.number(), p.number(), p.number(), p.text(), p.text())
        token = token if self.token is None else self.token
        return (wire.number(version) + wire.text(token) + b"".join(map(wire.number, (pid, self.session, role, lane, lanes))) +
                wire.text(program) + wire.text(directory))

    def dial(self, role, lane):
        sock = connect(self.address)
        sock.settimeout(wire.HANG)
        sock.sendall(wire.frame(wire.HELLO, self.hello(role, lane)))
        connection = wire.Connection(sock)
        answer = connection.frame()
        assert answer and answer[0] == wire.WELCOME, answer
        return connection

    def begin(self, frames):
        """Modules and READY; the answer."""
        for role, kind, payload in frames:
            if role == wire.CONTROL and kind in (wire.MODULE, wire.READY):
                self.control.sock.sendall(wire.frame(kind, payload))
        return self.control.frame()

    def close(self):
        for connection in [*self.lanes, self.control]:
            connection.sock.close()

    def play(self, frames, order, pick=random.Random(1)):
        """Everything from threads in this order, over any connections; BYE where order has it."""
        self.begin(frames)
        for i in order:
            role, kind, payload = frames[i]
            to = self.control if role == wire.CONTROL else pick.choice(self.lanes)
            try:
                to.sock.sendall(wire.frame(kind, payload))
            except OSError:  # the observer has all it needs, or wants no more
                break
        self.close()


def after_ready(frames):
    """Which frames a client's play takes."""
    return [i for i, (_, kind, _) in enumerate(frames) if kind not in (wire.MODULE, wire.READY)]


def remove(path):
    if os.path.exists(path):
        os.unlink(path)
