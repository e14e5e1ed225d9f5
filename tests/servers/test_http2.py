"""HTTP/2 by nginx: who shares a connection, who does not, and what its end costs."""

import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from programs import NWB, Program, free_port, make_certificates

LARGE = "large.h5"
# Of the same nginx, by names that share no connections: one of HTTP/1.1 that is open is used for HTTP/2, too.
NAMES = {True: "localhost", False: "127.0.0.1"}
SCATTERED = "scattered.h5"


@pytest.fixture(scope="module", autouse=True)
def scattered(data):
    """A file of 200 groups, each with its header in the middle of data that nobody reads."""
    with h5py.File(data / SCATTERED, "w", libver="latest") as file:
        for number in range(200):
            file.create_group(f"group{number}").attrs["number"] = number
            file.create_dataset(f"data{number}", data=np.full(100_000, number, "u1"))


@pytest.fixture
def http2(trusted) -> None:
    if not trusted:
        pytest.skip("libcurl below 8.5 is not trusted with HTTP/2; test_an_older_libcurl_... is for that")


@pytest.mark.parametrize("wanted", [True, False])
def test_the_option_decides_about_the_protocol(nginx, equal, trust, http2, wanted):
    visit = nginx.visit("plain", host=NAMES[wanted])
    equal(visit.url, http2=wanted, **trust)
    assert visit.protocols() == {"HTTP/2.0" if wanted else "HTTP/1.1"}


def test_an_older_libcurl_gets_http1(nginx, equal, trust, trusted):
    if trusted:
        pytest.skip("libcurl is new enough")
    visit = nginx.visit("plain")
    equal(visit.url, **trust)
    assert visit.protocols() == {"HTTP/1.1"}


def walk(url: str, **options: object) -> None:
    with h5py.File(url, "r", driver="remfile", **options) as file:
        assert [file[f"group{number}"].attrs["number"] for number in range(200)] == list(range(200))


def test_small_requests_share_a_connection(nginx, trust, http2):
    few = {"min_chunk_size": 16384, "head_size": 16384, **trust}
    shared = nginx.visit("plain", SCATTERED)
    walk(shared.url, **few)
    assert len(shared.answers()) > 30
    assert len(shared.connections()) <= 2
    separate = nginx.visit("plain", SCATTERED, host=NAMES[False])
    walk(separate.url, http2=False, **few)
    assert len(separate.connections()) > 2


def test_large_requests_get_connections_of_their_own(nginx, equal, trust, http2):
    visit = nginx.visit("slow", LARGE)
    equal(visit.url, LARGE, **trust)
    assert visit.protocols() == {"HTTP/2.0"}
    assert len(visit.connections()) > 4
    large = [answer[2] for answer in visit.answers() if int(answer[3]) > 262144]
    assert len(large) > 4


def test_no_more_connections_than_allowed(nginx, equal, trust):
    visit = nginx.visit("plain", LARGE)
    equal(visit.url, LARGE, max_connections=2, **trust)
    assert len(visit.connections()) <= 2


def test_a_server_that_says_goodbye_after_a_few_requests_loses_none(nginx, equal, trust, http2):
    whole = nginx.visit("few", LARGE, nginx.brief)
    walked = nginx.visit("few", SCATTERED, nginx.brief)
    few = {"min_chunk_size": 65536, "head_size": 65536, "read_ahead": False}
    equal(whole.url, LARGE, **few, **trust)
    walk(walked.url, **few, **trust)
    answers = whole.answers() + walked.answers()
    assert {(answer[0], answer[1]) for answer in answers} == {("206", "HTTP/2.0")}
    assert len(whole.connections() | walked.connections()) >= len(answers) / 6 > 4


def broken_off(visit) -> set[str]:
    """The connections of answers that were not sent to their end, once nginx has noticed."""
    for _ in range(100):
        if found := {answer[2] for answer in visit.answers() if "OK" not in answer}:
            return found
        time.sleep(0.1)
    return set()


def test_what_is_given_up_leaves_the_connection_to_the_others(nginx, data, trust, http2):
    plain, slow = nginx.visit("plain", LARGE), nginx.visit("slow", LARGE)
    with h5py.File(plain.url, "r", driver="remfile", **trust) as kept:
        before = len(plain.answers())
        with h5py.File(slow.url, "r", driver="remfile", **trust) as given_up:
            assert given_up["a"][0, 0] > 0  # the chunks around it are on their way, each for most of a second
        values = kept["b"][:]
        given_up_on = broken_off(slow)
    with h5py.File(data / LARGE) as local:
        assert (values == local["b"][:]).all()
    assert given_up_on & {answer[2] for answer in plain.answers()[before:]}


@pytest.mark.parametrize("breakage", ["garbage", "silence", "close", "refuse", "require"])
def test_where_http2_does_not_work_http1_is_used(data, equal, tmp_path, breakage, http2):
    authority, certificate, key = make_certificates(tmp_path)
    port, log = free_port(), tmp_path / "connections"
    script = Path(__file__).with_name("broken_http2.py")
    command = [sys.executable, script, str(port), certificate, key, data / NWB, breakage, log]
    program = Program(command, port, tmp_path / "output")
    try:
        url = f"https://localhost:{port}/file.nwb"
        equal(url, ca_file=str(authority), stall_timeout_ms=1000, max_retries=3, complete_small_files=False)
    finally:
        program.stop()
    protocols = log.read_text().split()
    assert protocols[0] == "h2"
    assert "http/1.1" in protocols
    assert protocols[-1] == "http/1.1" or breakage == "require"  # which libcurl finds out anew each time
