"""nginx: TLS with an authority of one's own, HTTP/2, limits of rate, requests and connections."""

import pytest

from conftest import NWB


@pytest.mark.parametrize("name", [NWB, "large.h5"])
def test_every_value_comes_over_tls_by_ranges_on_kept_connections(nginx, equal, trust, trusted, name):
    visit = nginx.visit("plain", name)
    equal(visit.url, name, **trust)
    assert {(answer[0], answer[1]) for answer in visit.answers()} == {("206", "HTTP/2.0" if trusted else "HTTP/1.1")}
    assert len(visit.connections()) <= 16


def test_a_certificate_by_an_unknown_authority_is_refused(nginx, refused):
    refused(nginx.visit("plain").url, "tls")


def test_a_slow_server_is_waited_for(nginx, equal, trust):
    equal(nginx.visit("slow").url, **trust)


def test_a_server_that_refuses_too_many_requests_is_asked_more_slowly(nginx, equal, trust):
    visit = nginx.visit("busy", "large.h5")
    equal(visit.url, "large.h5", min_chunk_size=65536, read_ahead=False, max_retries=20, **trust)
    statuses = visit.statuses()
    assert "429" in statuses and statuses.count("206") > statuses.count("429")


def test_a_server_that_refuses_too_many_connections_is_asked_with_fewer(nginx, equal, trust):
    visit = nginx.visit("crowded", "large.h5")
    equal(visit.url, "large.h5", max_retries=20, **trust)
    statuses = visit.statuses()
    assert "503" in statuses and statuses.count("206") > 2


def test_a_server_that_ends_connections_often_costs_new_ones_and_nothing_else(nginx, equal, trust):
    few = {"min_chunk_size": 65536, "read_ahead": False, "http2": False}
    visit = nginx.visit("brief", "large.h5")
    equal(visit.url, "large.h5", **few, **trust)
    assert set(visit.statuses()) == {"206"}
    assert len(visit.connections()) >= len(visit.answers()) / 2 > 2


def test_a_server_without_ranges_is_taken_whole_or_refused_by_size(nginx, equal, refused, trust):
    small, large = nginx.visit("whole"), nginx.visit("whole", "large.h5")
    equal(small.url, **trust)
    assert small.statuses() == ["200"]
    assert "max_whole_file" in refused(large.url, "range_unsupported", **trust)


def test_a_location_that_likes_to_compress_is_asked_not_to(nginx, equal, trust):
    visit = nginx.visit("coded")
    equal(visit.url, **trust)
    assert set(visit.statuses()) == {"206"}


def test_a_password_opens_a_private_location_and_a_wrong_one_does_not(nginx, equal, refused, trust):
    url = nginx.visit("private").url
    equal(url, username="me", password="secret", **trust)
    for credentials in ({}, {"username": "me", "password": "guess"}):
        assert "guess" not in refused(url, "denied", **credentials, **trust)


def test_a_redirect_from_http_to_https_is_followed_once(nginx, equal, trust):
    visit = nginx.visit("elsewhere", port=nginx.plain, scheme="http")
    equal(visit.url, **trust)
    assert visit.statuses() == ["307"]


def test_a_missing_file_is_missing(nginx, refused, trust):
    visit = nginx.visit("plain", "none.h5")
    refused(visit.url, "not_found", **trust)
    # libhdf5 calls a driver's open twice where it looks for plugins.
    assert 1 <= len(visit.answers()) <= 2
