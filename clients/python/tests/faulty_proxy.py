"""A network that fails: passes connections on to a server, after it has failed the first ones as told."""

import contextlib
import socket
import socketserver
import struct
import threading
from urllib.parse import urlsplit


class FaultyProxy:
    """Handles the n-th connection as `faults[n]` says, and passes on all after them.

    `""` passes it on; `reset` closes it at once; `cut` passes on an answer without its last byte; `302`, `500` and
    `503` are answers with that status; any other text is the body of a success.
    """

    def __init__(self, url, faults):
        self.target, self.faults, self.connections = urlsplit(url), faults, 0
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                fault = outer.faults[outer.connections] if outer.connections < len(outer.faults) else ""
                outer.connections += 1
                with contextlib.suppress(OSError):
                    outer.serve(self.request, fault)

        self.listener = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.listener.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.listener.server_address[1]}"

    def serve(self, client, fault):
        request = client.recv(65536)
        if fault == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return
        if fault in ("302", "500", "503"):
            extra = "Location: http://127.0.0.1:9/\r\n" if fault == "302" else ""
            extra += "Retry-After: 0\r\n" if fault == "503" else ""
            client.sendall(f"HTTP/1.1 {fault} X\r\n{extra}Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
            return
        if fault not in ("", "cut"):
            body = fault.encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            client.sendall(head.encode() + body)
            return
        # One request a connection, so that each is counted.
        request = request.replace(b"Connection: keep-alive", b"Connection: close")
        answer = b""
        with socket.create_connection((self.target.hostname, self.target.port)) as server:
            server.sendall(request)
            while chunk := server.recv(65536):
                answer += chunk
        client.sendall(answer[:-1] if fault == "cut" else answer)

    def __enter__(self):
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown()
        self.listener.server_close()
