"""Pointer files: a local path that stands for a URL."""

import os
import subprocess

import h5py
import numpy as np
import pytest

from remfile_hdf5 import write_pointer


@pytest.fixture
def pointer(server, tmp_path):
    path = tmp_path / "pointer.h5"
    write_pointer(path, server.url("counting.h5"))
    return path


def opened(path, **options):
    return h5py.File(path, "r", driver="remfile", **options)


def test_reads_the_remote_file(pointer):
    with opened(pointer) as file:
        np.testing.assert_array_equal(file["values"][()].ravel(), np.arange(4096))
        assert file.filename == str(pointer)


def test_is_hdf5_to_those_who_look_and_nothing_to_libhdf5(pointer):
    assert pointer.read_bytes().startswith(b"\x89HDF\r\n\x1a\n")
    with pytest.raises(OSError):
        h5py.File(pointer, "r")


def test_a_relative_link_leads_beside_the_remote_file(folder, server, tmp_path, monkeypatch):
    (folder / "sub").mkdir()
    with h5py.File(folder / "links.h5", "w") as file:
        file["near"] = h5py.ExternalLink("counting.h5", "/values")
        file["deep"] = h5py.ExternalLink("sub/more.h5", "/back")
    with h5py.File(folder / "sub/more.h5", "w") as file:
        file["back"] = h5py.ExternalLink("../counting.h5", "/values")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    write_pointer("links.h5", server.url("links.h5"))
    for path in ("links.h5", "./links.h5", str(tmp_path / "here/links.h5"), "../here/links.h5"):
        with opened(path) as file:
            for name in (b"near", b"deep"):  # past h5py's own idea of links, see test_links.py
                assert h5py.Dataset(h5py.h5d.open(file.id, name))[0, 1] == 1, path


def test_its_options_hold_where_the_program_gives_none(folder, server, tmp_path):
    path = tmp_path / "slow.h5"
    write_pointer(path, server.url("counting.h5?status=503"), keep_secrets=True, max_retries=1)
    for options, requests in (({}, 2), ({"max_retries": 0}, 1), ({"user_agent": "me"}, 2)):
        server.reset()
        with pytest.raises(OSError, match="HTTP 503"):
            opened(path, **options)
        assert len(server.requests()) == requests, options


@pytest.mark.parametrize(
    "line",
    [
        "verify_tls=0",
        "proxy=http://elsewhere",
        "local_links=1",
        "user_agent=me",
        "max_cache_size=1000000000000",
        "max_retries=1, verify_tls=0",
        'max_retries="1", verify_tls=0',
        "max_retries=1;verify_tls=0",
        "max_retries=1\rverify_tls=0",
        "nonsense",
        "url=http://127.0.0.1:1/second",
    ],
)
def test_has_no_say_in_anything_else(pointer, server, line):
    with open(pointer, "a", newline="") as file:
        file.write(line + "\n")
    with pytest.raises(OSError, match=r"pointer file.*may have only url and the options min_chunk_size"):
        opened(pointer)
    assert server.requests() == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x89HDF\r\n\x1a\nremfile-pointer 2\nurl=http://h/\n", "version that this remfile does not know"),
        (b"\x89HDF\r\n\x1a\nremfile-pointer 1\n", "without an http:// or https:// URL"),
        (b"\x89HDF\r\n\x1a\nremfile-pointer 1\nurl=file:///etc/passwd\n", "without an http:// or https:// URL"),
        (b"\x89HDF\r\n\x1a\nremfile-pointer 1\nurl=/x/http://h/y\n", "without an http:// or https:// URL"),
        (b"\x89HDF\r\n\x1a\nremfile-pointer 1\nurl=http://h/" + b"x" * 70_000, "too long"),
        (b"\x89HDF\r\n\x1a\n\0\0\0\0", "not a URL"),
        (b"", "not a URL"),
    ],
)
def test_what_is_no_good_pointer_is_refused(tmp_path, content, message):
    path = tmp_path / "bad.h5"
    path.write_bytes(content)
    with pytest.raises(OSError, match=message):
        opened(path)


def test_a_pipe_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a URL"):
        opened(tmp_path / "pipe")


COMMAND = os.environ.get("REMFILE_POINTER")


@pytest.mark.skipif(not COMMAND, reason="REMFILE_POINTER is not set")
def test_the_command_writes_what_python_writes(tmp_path):
    url = "https://example.org/a%20b/c.nwb"
    options = {"head_size": 65536, "read_ahead": False, "max_retries": 20, "stall_timeout_ms": 1000}
    write_pointer(tmp_path / "python.h5", url, **options)
    text = "max_retries=20, read_ahead=off, head_size=64 KiB, stall_timeout_ms=1000"
    subprocess.run([COMMAND, "--options", text, url, tmp_path / "command.h5"], check=True)
    assert (tmp_path / "command.h5").read_bytes() == (tmp_path / "python.h5").read_bytes()


SECRETIVE = ["https://me:word@host/a.h5", "https://me@host/a.h5", "https://host/a.h5?signature=1", "HTTP://a@h?b"]


@pytest.mark.parametrize("url", SECRETIVE)
def test_no_secret_is_written_unasked(tmp_path, url):
    with pytest.raises(ValueError, match="secret"):
        write_pointer(tmp_path / "a.h5", url)
    write_pointer(tmp_path / "b.h5", url, keep_secrets=True)
    if COMMAND:
        done = subprocess.run([COMMAND, url, tmp_path / "c.h5"], capture_output=True, text=True)
        assert done.returncode == 1 and "secret" in done.stderr and "signature" not in done.stderr
        subprocess.run([COMMAND, "--keep-secrets", url, tmp_path / "c.h5"], check=True)
        assert (tmp_path / "b.h5").read_bytes() == (tmp_path / "c.h5").read_bytes()
    assert not (tmp_path / "a.h5").exists()


@pytest.mark.parametrize("url", ["/etc/passwd", "ftp://h/a", "https://", "http://h/a b", "http://h/a\nproxy=x", ""])
def test_only_urls_are_written(tmp_path, url):
    with pytest.raises(ValueError):
        write_pointer(tmp_path / "a.h5", url)
    if COMMAND:
        assert subprocess.run([COMMAND, url, tmp_path / "a.h5"], capture_output=True).returncode == 1
    assert not (tmp_path / "a.h5").exists()


def test_no_other_option_is_written(tmp_path):
    with pytest.raises(ValueError, match="cannot carry the option proxy"):
        write_pointer(tmp_path / "a.h5", "https://h/a", proxy="http://p")
    if COMMAND:
        words = [COMMAND, "--options", "proxy=http://p", "https://h/a", tmp_path / "a.h5"]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 1 and "can carry only min_chunk_size" in done.stderr
