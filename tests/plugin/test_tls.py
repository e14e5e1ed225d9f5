"""Encrypted connections: certificates are checked, and the machine's are found."""

import http.server
import re
import ssl
import subprocess
import threading

import pytest

from support import output_of, run_python


class Ranges(http.server.SimpleHTTPRequestHandler):
    """Byte ranges, which Python's server has not."""

    def do_GET(self):
        body = (self.server.folder / self.path.lstrip("/")).read_bytes()
        first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
        part = body[first : last + 1]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *words):
        pass


@pytest.fixture
def secure(folder, tmp_path):
    """The URL of a server with a certificate that only its own file vouches for, and that file."""
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        + ["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
        capture_output=True,
    )
    if made.returncode != 0:
        pytest.skip("no openssl to make a certificate")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
    server.folder = folder
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://localhost:{server.server_address[1]}/counting.h5", str(certificate)
    server.shutdown()


PROGRAM = "import h5py, sys; print(h5py.File(sys.argv[1])['values'][0, 5])"
SETTINGS = {"HDF5_DRIVER": "remfile", "no_proxy": "localhost"}


def test_an_unknown_certificate_is_refused(secure):
    done = run_python(PROGRAM, secure[0], **SETTINGS)
    assert done.returncode == 1
    assert "[tls]" in done.stderr


@pytest.mark.parametrize("option", ["ca_file={}", "verify_tls=off"])
def test_an_option_has_it_accepted(secure, option):
    url, certificate = secure
    assert output_of(PROGRAM, url, HDF5_DRIVER_CONFIG=option.format(certificate), **SETTINGS) == "5\n"
