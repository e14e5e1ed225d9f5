"""Python's http.server: HTTP/1.0, no ranges, a connection an answer."""

import sys

import pytest

from conftest import NWB
from programs import Program, free_port


@pytest.fixture(scope="module")
def url(data, tmp_path_factory):
    port = free_port()
    command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", str(data)]
    server = Program(command, port, tmp_path_factory.mktemp("http") / "log")
    yield f"http://127.0.0.1:{port}/"
    server.stop()


def test_a_small_file_is_taken_whole(url, equal):
    equal(url + NWB)


def test_a_larger_one_is_refused_by_its_size(url, refused):
    assert "max_whole_file" in refused(url + "large.h5", "range_unsupported")


def test_a_larger_one_is_taken_whole_where_that_was_asked_for(url, equal):
    equal(url + "large.h5", "large.h5", max_whole_file="64MiB")


def test_a_listing_of_a_folder_is_no_file(url, refused):
    refused(url, "range_unsupported")
    refused(url + "none.h5", "not_found")
