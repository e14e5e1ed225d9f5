"""A forward proxy: tinyproxy, by option and by environment, also for https, and one that refuses."""

from pathlib import Path

import pytest

from conftest import NWB
from programs import Program, free_port, needed
from support import output_of, run_python

CONFIGURATION = """
Port {port}
Listen 127.0.0.1
Timeout 60
LogFile "{log}"
LogLevel Connect
MaxClients 100
BasicAuth me secret
ConnectPort {tls}
"""


class Proxy:
    def __init__(self, here: Path, tls: int):
        program = needed("tinyproxy")
        self.port = free_port()
        self.log = here / "proxy.log"
        (here / "proxy.conf").write_text(CONFIGURATION.format(port=self.port, log=self.log, tls=tls))
        self.program = Program([program, "-d", "-c", str(here / "proxy.conf")], self.port, here / "output")
        self.url = f"http://me:secret@127.0.0.1:{self.port}"

    def asked(self, words: str) -> int:
        """How many requests with these words the proxy has got."""
        return sum(words in line for line in self.log.read_text().splitlines())


@pytest.fixture(scope="module")
def proxy(nginx, tmp_path_factory):  # noqa: F811
    running = Proxy(tmp_path_factory.mktemp("proxy"), nginx.tls)
    yield running
    running.program.stop()


def test_every_value_comes_through_a_proxy_named_by_option(nginx, proxy, equal):  # noqa: F811
    equal(f"http://127.0.0.1:{nginx.plain}/plain/{NWB}", proxy=proxy.url)
    assert proxy.asked("GET http") > 0


def test_https_goes_through_it_as_a_tunnel(nginx, proxy, equal, trust):  # noqa: F811
    equal(nginx.visit("plain").url, proxy=proxy.url, **trust)
    assert proxy.asked(f"CONNECT localhost:{nginx.tls}") > 0


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_refuses_is_an_error_without_its_password(nginx, proxy, refused, scheme, trust):  # noqa: F811
    url = nginx.visit("plain").url if scheme == "https" else f"http://127.0.0.1:{nginx.plain}/plain/{NWB}"
    wrong = proxy.url.replace("secret", "guess")
    assert "guess" not in refused(url, "denied", proxy=wrong, **trust)


def test_a_proxy_that_is_not_there_is_unreachable(nginx, refused):  # noqa: F811
    url = f"http://127.0.0.1:{nginx.plain}/plain/{NWB}"
    refused(url, "unreachable", proxy=f"http://127.0.0.1:{free_port()}", max_retries=0)


READ = f"""
import h5py, remfile_hdf5, sys
with h5py.File(sys.argv[1], "r", driver="remfile", max_retries=0) as file:
    print(file["identifier"][()].decode())
"""


def test_the_environments_proxy_is_asked_but_for_the_hosts_it_excepts(nginx, proxy):  # noqa: F811
    url = f"http://127.0.0.1:{nginx.plain}/plain/{NWB}"
    asked = proxy.asked("GET http")
    through = output_of(READ, url, http_proxy=proxy.url)
    assert proxy.asked("GET http") > asked
    asked = proxy.asked("GET http")
    assert output_of(READ, url, http_proxy=proxy.url, no_proxy="127.0.0.1") == through
    assert proxy.asked("GET http") == asked
    # Shows that the variable is what decides.
    assert run_python(READ, url, http_proxy="http://127.0.0.1:1").returncode != 0
