#!/usr/bin/env python3
"""usage: broken_http2.py PORT CERTIFICATE KEY FILE BREAKAGE LOG

Serves a file over TLS by ranges, over HTTP/1.1 as it should be; over HTTP/2, which it prefers, it does this once it is
asked:

garbage   sends what is no HTTP/2
silence   sends nothing, and keeps the connection open
close     closes the connection
refuse    ends each request with REFUSED_STREAM
require   ends each request with HTTP_1_1_REQUIRED

LOG gets a line with the protocol for each connection.
"""

import re
import socketserver
import ssl
import struct
import sys
import time

REFUSED_STREAM, HTTP_1_1_REQUIRED = 7, 13
DATA, HEADERS, RST_STREAM, SETTINGS = 0, 1, 3, 4


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


class Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        protocol = self.connection.selected_alpn_protocol() or "http/1.1"
        self.server.log(protocol)
        if protocol == "h2":
            self.break_http2()
        else:
            self.serve()

    def break_http2(self) -> None:
        self.rfile.read(24)  # the preface
        self.wfile.write(frame(SETTINGS, 0, 0) + frame(SETTINGS, 1, 0))
        while head := self.rfile.read(9):
            length, kind, stream = int.from_bytes(head[:3], "big"), head[3], int.from_bytes(head[5:], "big")
            self.rfile.read(length)
            if kind != HEADERS:
                continue
            if self.server.breakage == "garbage":
                self.wfile.write(b"this is no frame" * 64)
                return
            if self.server.breakage == "silence":
                time.sleep(60)
            if self.server.breakage == "close":
                return
            code = {"refuse": REFUSED_STREAM, "require": HTTP_1_1_REQUIRED}[self.server.breakage]
            self.wfile.write(frame(RST_STREAM, 0, stream, struct.pack(">I", code)))

    def serve(self) -> None:
        while head := b"".join(iter(self.rfile.readline, b"\r\n")):
            first, last = map(int, re.search(rb"(?i)range: bytes=(\d+)-(\d+)", head).groups())
            data, size = self.server.content[first : last + 1], len(self.server.content)
            lines = ("HTTP/1.1 206 Partial Content", f"Content-Length: {len(data)}")
            lines += (f"Content-Range: bytes {first}-{first + len(data) - 1}/{size}", "", "")
            self.wfile.write("\r\n".join(lines).encode() + data)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: str, certificate: str, key: str, file: str, breakage: str, log: str):
        self.breakage, self._log = breakage, open(log, "a", buffering=1)
        with open(file, "rb") as content:
            self.content = content.read()
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(certificate, key)
        self._tls.set_alpn_protocols(["h2", "http/1.1"])
        super().__init__(("127.0.0.1", int(port)), Handler)

    def log(self, line: str) -> None:
        self._log.write(line + "\n")

    def finish_request(self, request, address) -> None:
        """On the thread of the connection, so that a slow handshake disturbs no other."""
        with self._tls.wrap_socket(request, server_side=True) as encrypted:
            super().finish_request(encrypted, address)

    def handle_error(self, request, address) -> None:
        """Clients close connections as they like."""


if __name__ == "__main__":
    Server(*sys.argv[1:]).serve_forever()
