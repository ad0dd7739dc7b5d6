"""As much of the protocol as it takes to be a client of a server, or a nuisance to it."""

import base64
import os
import socket
import struct


def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while True:
        low = number & 0x7F
        number >>= 7
        out += bytes([low | (0x80 if number else 0)])
        if not number:
            return out


def field(number, value):
    """A field of a protobuf message: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def frame(body, content=b"", request=0):
    return (field(1, request) if request else b"") + field(body, content)


# The numbers of bodies in frame.proto.
LOGIN, LOGIN_ACK, HEARTBEAT, HEARTBEAT_ACK = 2, 3, 6, 7
SEND, SEND_ACK, MESSAGE, MESSAGE_ACK, JOIN, JOIN_ACK = 19, 20, 21, 22, 23, 24


def login(profile, user, device, secret=""):
    credential = field(2, secret)
    who = field(1, device) + field(2, 5)
    return frame(LOGIN, field(1, profile) + field(2, user) + field(3, who) + field(4, 1) + field(6, credential), 1)


def heartbeat():
    return frame(HEARTBEAT)


def message(identity, sender, receiver, text, to_channel=False):
    return frame(
        SEND,
        field(1, identity) + field(2, sender) + field(3, receiver) + field(4, text)
        + (field(5, 1) if to_channel else b""), 2)


def join(channel):
    return frame(JOIN, field(1, channel), 3)


def masked(payload, opcode=2, mask=b"\0\0\0\0", final=True):
    """A WebSocket frame of a client; a mask of zeros leaves the payload as it is."""
    head = bytes([(0x80 if final else 0) | opcode])
    size = len(payload)
    if size < 126:
        head += bytes([0x80 | size])
    elif size < 65536:
        head += b"\xfe" + struct.pack(">H", size)
    else:
        head += b"\xff" + struct.pack(">Q", size)
    return head + mask + payload


def handshake(path):
    key = base64.b64encode(os.urandom(16)).decode()
    return (f"GET /{path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode()


def read_varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def fields(data):
    """The fields of a message, as (number, value)."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        else:
            size, at = read_varint(data, at)
            value = data[at:at + size]
            at += size
        yield key >> 3, value


def body(payload):
    """Which body a frame has, and what is in it."""
    for number, value in fields(payload):
        if number not in (1, 50, 53):
            return number, value
    return 0, b""


def status(content):
    """The status in a reply; 0 is ok, and is left out on the wire."""
    return next((value for number, value in fields(content) if number == 1 and isinstance(value, int)), 0)


class Reader:
    """Takes the bytes of a server apart into WebSocket frames."""

    def __init__(self):
        self.pending = bytearray()

    def feed(self, data):
        self.pending += data
        while len(self.pending) >= 2:
            size, start = self.pending[1] & 0x7F, 2
            if size == 126:
                if len(self.pending) < 4:
                    return
                size, start = struct.unpack(">H", self.pending[2:4])[0], 4
            elif size == 127:
                if len(self.pending) < 10:
                    return
                size, start = struct.unpack(">Q", self.pending[2:10])[0], 10
            if len(self.pending) < start + size:
                return
            opcode, payload = self.pending[0] & 0xF, bytes(self.pending[start:start + size])
            del self.pending[:start + size]
            yield opcode, payload


class Client:
    """A client that waits for each answer."""

    def __init__(self, port, path, source="127.0.0.1", timeout=30):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout, (source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(handshake(path))
        self.reader = Reader()
        self.waiting = []
        head = b""
        while b"\r\n\r\n" not in head:
            more = self.socket.recv(4096)
            if not more:
                raise ConnectionError("no WebSocket")
            head += more
        if not head.startswith(b"HTTP/1.1 101"):
            raise ConnectionError(head.split(b"\r\n")[0].decode())
        self.waiting += self.reader.feed(head.split(b"\r\n\r\n", 1)[1])

    def send(self, payload):
        self.socket.sendall(masked(payload))

    def receive(self, wanted):
        """Reads on to a frame with this body."""
        while True:
            while self.waiting:
                opcode, payload = self.waiting.pop(0)
                if opcode == 8:
                    raise ConnectionError("closed by the server")
                number, content = body(payload)
                if number == MESSAGE:
                    self.confirm(content)
                if number == wanted:
                    return content
            data = self.socket.recv(1 << 16)
            if not data:
                raise ConnectionError("the connection ended")
            self.waiting += self.reader.feed(data)

    def confirm(self, content):
        given = dict(fields(content))
        self.send(frame(MESSAGE_ACK, field(1, given.get(1, b"")) + field(30, given.get(30, 0))))

    def log_in(self, profile, user, device, secret=""):
        self.send(login(profile, user, device, secret))
        return status(self.receive(LOGIN_ACK))

    def beat(self):
        self.send(heartbeat())
        self.receive(HEARTBEAT_ACK)
