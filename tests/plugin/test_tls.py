"""Encrypted connections: certificates are checked, and the machine's are found."""

import http.server
import re
import shutil
import ssl
import subprocess
import sys
import threading

import pytest

from support import environment, output_of, run_python


class Ranges(http.server.SimpleHTTPRequestHandler):
    """Byte ranges, which Python's server has not. Of a name with ?hang only the head is answered."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        name, _, query = self.path.lstrip("/").partition("?")
        body = (self.server.folder / name).read_bytes()
        first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
        if query == "hang" and first > 0:
            self.server.hangs.set()
            self.server.over.wait()
            return
        part = body[first : last + 1]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *words):
        pass


def make_certificate(folder, name):
    """A certificate that only its own file vouches for."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}-key.pem"
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
        + ["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
        capture_output=True,
    )
    if made.returncode != 0:
        pytest.skip("no openssl to make a certificate")
    return certificate, key


class Secure:
    """A server of counting.h5, the file of its certificate, a folder with it, and the file of another."""

    def __init__(self, folder, place):
        self.certificate, key = make_certificate(place, "server")
        self.other, _ = make_certificate(place, "other")
        self.folder = place / "certificates"
        self.folder.mkdir()
        name = subprocess.run(
            ["openssl", "x509", "-noout", "-subject_hash", "-in", self.certificate], capture_output=True, text=True
        ).stdout.strip()
        shutil.copy(self.certificate, self.folder / f"{name}.0")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
        self.server.folder = folder
        self.server.hangs, self.server.over = threading.Event(), threading.Event()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"https://localhost:{self.server.server_address[1]}/counting.h5"


@pytest.fixture
def secure(folder, tmp_path):
    running = Secure(folder, tmp_path)
    yield running
    running.server.over.set()
    running.server.shutdown()


PROGRAM = "import h5py, sys; print(h5py.File(sys.argv[1])['values'][0, 5])"
#: Nothing of what this machine is set to.
SETTINGS = {
    **{"HDF5_DRIVER": "remfile", "no_proxy": "localhost"},
    **{"CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "", "SSL_CERT_DIR": ""},
}


def assert_refused(done):
    assert done.returncode == 1
    assert re.search(r"remfile: cannot read https://localhost:\d+/counting.h5: .*certificate.*\[tls\]", done.stderr)


def test_an_unknown_certificate_is_refused(secure):
    assert_refused(run_python(PROGRAM, secure.url, **SETTINGS))


@pytest.mark.parametrize("option", ["ca_file={}", "verify_tls=off"])
def test_an_option_has_it_accepted(secure, option):
    settings = {**SETTINGS, "HDF5_DRIVER_CONFIG": option.format(secure.certificate)}
    assert output_of(PROGRAM, secure.url, **settings) == "5\n"


@pytest.mark.parametrize("variable", ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_the_environment_has_it_accepted(secure, variable):
    path = secure.folder if variable == "SSL_CERT_DIR" else secure.certificate
    assert output_of(PROGRAM, secure.url, **{**SETTINGS, variable: str(path)}) == "5\n"


@pytest.mark.parametrize("variable", ["CURL_CA_BUNDLE", "SSL_CERT_FILE"])
def test_the_option_comes_before_the_environment(secure, variable):
    option = "ca_file={}".format
    right = {variable: str(secure.other), "HDF5_DRIVER_CONFIG": option(secure.certificate)}
    assert output_of(PROGRAM, secure.url, **{**SETTINGS, **right}) == "5\n"
    wrong = {variable: str(secure.certificate), "HDF5_DRIVER_CONFIG": option(secure.other)}
    assert_refused(run_python(PROGRAM, secure.url, **{**SETTINGS, **wrong}))


def test_a_file_of_certificates_that_is_not_there_is_named(secure):
    done = run_python(PROGRAM, secure.url, **{**SETTINGS, "CURL_CA_BUNDLE": "/nowhere/certificates.pem"})
    assert done.returncode == 1
    assert re.search(r"/nowhere/certificates\.pem.*\[tls\]", done.stderr)


def test_the_certificates_of_the_machine_are_found(secure):
    """Where Debian keeps them, for one process with other mounts than ours."""
    bundle = "/etc/ssl/certs/ca-certificates.crt"
    mount = f'mount --bind "$1" {bundle} && shift && exec "$@"'
    words = ["unshare", "--mount", "sh", "-c", mount, "sh", secure.certificate]
    if not shutil.which("unshare") or subprocess.run([*words, "true"], capture_output=True).returncode != 0:
        pytest.skip("no right to mount")
    done = subprocess.run(
        [*words, sys.executable, "-c", PROGRAM, secure.url],
        env=environment(**{k: v for k, v in SETTINGS.items() if v}),
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (done.stdout, done.stderr) == ("5\n", "")


@pytest.mark.parametrize("end", ["pass", "sys.exit(0)", "os.kill(os.getpid(), 0)"])
def test_ends_in_order_with_a_file_open(secure, end):
    """OpenSSL cleans up behind itself before libhdf5 closes its files."""
    program = f"import h5py, os, sys; f = h5py.File(sys.argv[1]); print(f['values'][0, 5]); {end}"
    settings = {**SETTINGS, "SSL_CERT_FILE": str(secure.certificate)}
    assert output_of(program, secure.url, **settings) == "5\n"


def test_ends_in_order_while_a_request_is_under_way(secure):
    program = (
        "import h5py, sys\n"
        "from h5py import h5f, h5p\n"
        "f = h5py.h5f.open(sys.argv[1].encode(), h5py.h5f.ACC_RDONLY)\n"
        "print('open', flush=True)\n"
        "sys.stdin.readline()\n"
    )
    # The head is so small that libhdf5 goes on, and what hints foretell is asked for and never answered.
    settings = {**SETTINGS, "SSL_CERT_FILE": str(secure.certificate)}
    settings["HDF5_DRIVER_CONFIG"] = "head_size=1024, min_chunk_size=1024"
    child = subprocess.Popen(
        [sys.executable, "-c", program, secure.url + "?hang"],
        env=environment(**settings),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert secure.server.hangs.wait(60)
    out, errors = child.communicate("go\n", timeout=100)
    assert (child.returncode, out, errors) == (0, "open\n", "")
