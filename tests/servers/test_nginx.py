"""nginx: TLS with an authority of one's own, HTTP/2, limits of rate, requests and connections."""

import pytest

from conftest import NWB


@pytest.mark.parametrize("name", [NWB, "large.h5"])
def test_every_value_comes_over_tls_by_ranges_on_kept_connections(nginx, equal, trust, trusted, name):
    before = len(nginx.answers("plain"))
    equal(nginx.url("plain", name), name, **trust)
    answers = nginx.answers("plain")[before:]
    assert {(answer[0], answer[1]) for answer in answers} == {("206", "HTTP/2.0" if trusted else "HTTP/1.1")}
    assert len({answer[2] for answer in answers}) <= 16


def test_a_certificate_by_an_unknown_authority_is_refused(nginx, refused):
    refused(nginx.url("plain"), "tls")


def test_a_slow_server_is_waited_for(nginx, equal, trust):
    equal(nginx.url("slow"), **trust)


def test_a_server_that_refuses_too_many_requests_is_asked_more_slowly(nginx, equal, trust):
    equal(nginx.url("busy", "large.h5"), "large.h5", min_chunk_size=65536, read_ahead=False, max_retries=20, **trust)
    statuses = nginx.statuses("busy")
    assert "429" in statuses and statuses.count("206") > statuses.count("429")


def test_a_server_that_refuses_too_many_connections_is_asked_with_fewer(nginx, equal, trust):
    equal(nginx.url("crowded", "large.h5"), "large.h5", max_retries=20, **trust)
    statuses = nginx.statuses("crowded")
    assert "503" in statuses and statuses.count("206") > 2


def test_a_server_that_ends_connections_often_costs_new_ones_and_nothing_else(nginx, equal, trust):
    few = {"min_chunk_size": 65536, "read_ahead": False, "http2": False}
    equal(nginx.url("brief", "large.h5"), "large.h5", **few, **trust)
    answers = nginx.answers("brief")
    assert {answer[0] for answer in answers} == {"206"}
    assert len({answer[2] for answer in answers}) >= len(answers) / 2 > 2


def test_a_server_without_ranges_is_taken_whole_or_refused_by_size(nginx, equal, refused, trust):
    equal(nginx.url("whole"), **trust)
    assert nginx.statuses("whole") == ["200"]
    assert "max_whole_file" in refused(nginx.url("whole", "large.h5"), "range_unsupported", **trust)


def test_a_location_that_likes_to_compress_is_asked_not_to(nginx, equal, trust):
    equal(nginx.url("coded"), **trust)
    assert set(nginx.statuses("coded")) == {"206"}


def test_a_password_opens_a_private_location_and_a_wrong_one_does_not(nginx, equal, refused, trust):
    equal(nginx.url("private"), username="me", password="secret", **trust)
    for credentials in ({}, {"username": "me", "password": "guess"}):
        assert "guess" not in refused(nginx.url("private"), "denied", **credentials, **trust)


def test_a_redirect_from_http_to_https_is_followed_once(nginx, equal, trust):
    equal(f"http://localhost:{nginx.plain}/elsewhere/{NWB}", **trust)
    assert nginx.statuses("elsewhere") == ["307"]


def test_a_missing_file_is_missing(nginx, refused, trust):
    before = len(nginx.answers("plain"))
    refused(nginx.url("plain", "none.h5"), "not_found", **trust)
    # libhdf5 calls a driver's open twice where it looks for plugins.
    assert 1 <= len(nginx.answers("plain")) - before <= 2
