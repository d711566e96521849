"""``serve_secret.py root command``: runs the command in this root, beside an API server that answers every request with the Secret of a node.

The Secret has a new key and its certificate, which also is the certificate of the API server. The root gets the files by which a pod finds
its API server. Only the standard library is needed, and openssl.
"""

import base64
import http.server
import json
import ssl
import subprocess
import sys
import threading
from pathlib import Path

ADDRESS = ("127.0.0.1", 6443)
ROOT, COMMAND = Path(sys.argv[1]), sys.argv[2:]
ACCOUNT = ROOT / "run/secrets/kubernetes.io/serviceaccount"
CERTIFICATE, KEY = ACCOUNT / "ca.crt", ROOT / "tmp/node.key"


def make_certificate() -> None:
    ACCOUNT.mkdir(parents=True)
    (ACCOUNT / "token").write_text("unused")
    (ACCOUNT / "namespace").write_text("test")
    made = f"-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=node -out {CERTIFICATE} -keyout {KEY}"
    named = ("-addext", f"subjectAltName=IP:{ADDRESS[0]}")
    subprocess.run(["openssl", "req", *made.split(), *named], check=True)


def make_secret() -> bytes:
    files = {"node.crt": CERTIFICATE, "node.key": KEY}
    data = {name: base64.b64encode(file.read_bytes()).decode() for name, file in files.items()}
    described = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "node", "namespace": "test"}, "data": data}
    return json.dumps(described).encode()


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    #: The Secret in JSON.
    content = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()
        self.wfile.write(self.content)


def main() -> int:
    make_certificate()
    Answer.content = make_secret()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE, KEY)
    server = http.server.ThreadingHTTPServer(ADDRESS, Answer)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return subprocess.run(["chroot", str(ROOT), *COMMAND], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
