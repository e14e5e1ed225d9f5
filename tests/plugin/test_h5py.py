"""h5py from PyPI, whose libhdf5 the plugin has never seen."""

import h5py
import numpy as np
import pytest

import remfile_hdf5
import support
from support import DATA, PRINT_LIBHDF5, output_of, run_python

FILES = sorted(p.name for p in DATA.iterdir() if p.suffix in (".hdf5", ".nwb", ".h5"))


def described(where, **more):
    try:
        with h5py.File(where, "r", **more) as file:
            return support.describe(file)
    except OSError as error:
        return str(error)


@pytest.mark.parametrize("name", FILES)
def test_reads_the_same_remotely_as_locally(data, name):
    local = described(DATA / name)
    remote = described(data.url(name), driver="remfile")
    # Left flagged by a writer that was interrupted: only remfile opens it, and libhdf5's own driver if it is
    # told that there is such a writer.
    if "already open" in local:
        assert len(remote) > 5 and not isinstance(remote, str)
        local = described(DATA / name, swmr=True)
        if isinstance(local, str):
            return
    if isinstance(local, str):  # the names differ in what libhdf5 says of files that are none
        local, remote = local.partition("(")[0], remote.partition("(")[0]
    assert remote == local
    assert local


def test_works_by_environment_variables_alone(server):
    program = "import h5py, sys; print(h5py.File(sys.argv[1])['values'][3, 4])"
    settings = {"HDF5_DRIVER": "remfile", "HDF5_DRIVER_CONFIG": "min_chunk_size=4096, read_ahead=off"}
    assert output_of(program, server.url("counting.h5"), **settings) == "196\n"


def test_uses_the_one_libhdf5_that_is_there(server):
    program = "import h5py, sys; f = h5py.File(sys.argv[1]); f['values'][()]\n" + PRINT_LIBHDF5
    lines = output_of(program, server.url("counting.h5"), HDF5_DRIVER="remfile").split()
    assert len(lines) == 1 and "h5py" in lines[0], lines


def test_tells_what_the_server_said(server):
    with pytest.raises(OSError) as raised:
        h5py.File(server.url("missing.h5"), "r", driver="remfile")
    assert "there is no such file (HTTP 404" in str(raised.value)
    assert "[not_found]" in str(raised.value)
    assert server.requests() == ["/files/missing.h5"]


def test_tells_what_broke_a_read(server):
    url = server.url("counting.h5?status=503&after=1")
    options = {"min_chunk_size": 1024, "head_size": 1024, "read_ahead": False, "max_retries": 0}
    with h5py.File(url, "r", driver="remfile", complete_small_files=False, **options) as file:
        with pytest.raises((OSError, KeyError), match=r"HTTP 503.*\[server\]"):
            file["values"][()]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"colour": "red"}, "unknown option 'colour'; known are min_chunk_size, max_cache_size"),
        ({"max_retries": "many"}, "max_retries is a number, not 'many'"),
        ({"min_chunk_size": 5}, "must lie between 1024 and"),
    ],
)
def test_refuses_options_with_a_sentence(server, options, message):
    with pytest.raises(OSError, match=message):
        h5py.File(server.url("counting.h5"), "r", driver="remfile", **options)
    assert server.requests() == []


def test_refuses_options_of_the_environment_with_a_sentence(server):
    program = "import h5py, sys; h5py.File(sys.argv[1])"
    done = run_python(program, server.url("counting.h5"), HDF5_DRIVER="remfile", HDF5_DRIVER_CONFIG="colour=red")
    assert done.returncode == 1
    assert "unknown option 'colour'; known are min_chunk_size, max_cache_size" in done.stderr
    assert server.requests() == []


@pytest.mark.parametrize(("mode", "word"), [("r+", "for writing"), ("w", "create"), ("x", "create")])
def test_refuses_to_write(server, mode, word):
    with pytest.raises(OSError, match=f"{word}.*read-only"):
        h5py.File(server.url("counting.h5"), mode, driver="remfile")


def test_reads_with_swmr(server):
    with h5py.File(server.url("counting.h5"), "r", driver="remfile", swmr=True) as file:
        file["values"].refresh()
        assert file["values"][1, 1] == 65


def test_leaves_local_files_alone(server, tmp_path):
    with h5py.File(server.url("counting.h5"), "r", driver="remfile") as remote:
        with h5py.File(tmp_path / "copy.h5", "w") as copy:
            copy["values"] = remote["values"][()]
    with h5py.File(tmp_path / "copy.h5") as copy:
        assert copy.driver == "sec2"
        np.testing.assert_array_equal(copy["values"][()].ravel(), np.arange(4096))


def test_says_that_the_plugin_is_missing(server, monkeypatch, tmp_path):
    monkeypatch.setenv("REMFILE_PLUGIN_PATH", str(tmp_path / "nothing.so"))
    with pytest.raises(remfile_hdf5.PluginNotFoundError, match="nothing.so"):
        h5py.File(server.url("counting.h5"), "r", driver="remfile")
    with h5py.File(tmp_path / "local.h5", "w"):
        pass


def test_many_threads_read_one_file(server):
    from concurrent.futures import ThreadPoolExecutor

    with h5py.File(server.url("counting.h5"), "r", driver="remfile", min_chunk_size=1024) as file:
        with ThreadPoolExecutor(4) as pool:
            rows = list(pool.map(lambda row: int(file["values"][row % 64].sum()), range(256)))
    assert rows[:64] == [int(np.arange(64 * r, 64 * r + 64).sum()) for r in range(64)]
