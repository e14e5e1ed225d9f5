"""Links out of remote files, and virtual datasets: their targets are opened with the file's own options."""

import h5py
import numpy as np
import pytest

import remfile_hdf5
from support import output_of, run_python

#: Small steps, so that requests tell what was asked for; and a name by which to know them.
OPTIONS = {"driver": "remfile", "max_retries": 0, "user_agent": "inherited"}


def target(file, name):
    """The dataset that a link leads to. Not file[name]: h5py 3.11 has link targets opened with the default
    driver, whatever the file with the link was opened with."""
    return h5py.Dataset(h5py.h5d.open(file.id, name.encode()))


@pytest.fixture
def linked(folder, server):
    """The URL of a file with links, which is in a folder below its targets."""
    (folder / "below").mkdir()
    with h5py.File(folder / "below/links.h5", "w") as file:
        file["up"] = h5py.ExternalLink("../counting.h5", "/values")
        file["beside"] = h5py.ExternalLink("beside.h5", "/values")
        file["far"] = h5py.ExternalLink(server.url("counting.h5?far=1"), "/values")
        file["missing"] = h5py.ExternalLink("missing.h5", "/values")
        file["local"] = h5py.ExternalLink("/etc/hostname", "/values")
        layout = h5py.VirtualLayout((64, 64), "i4")
        layout[:] = h5py.VirtualSource("../counting.h5", "values", shape=(64, 64))
        file.create_virtual_dataset("virtual", layout, fillvalue=-1)
    with h5py.File(folder / "below/beside.h5", "w") as file:
        file["values"] = h5py.ExternalLink("../counting.h5", "/values")  # from link to link
    return server.url("below/links.h5")


@pytest.mark.parametrize("name", ["up", "beside", "far", "virtual"])
def test_follows_to_the_targets(linked, name):
    with h5py.File(linked, "r", **OPTIONS) as file:
        np.testing.assert_array_equal(target(file, name)[()].ravel(), np.arange(4096))


def test_targets_get_the_options_of_the_file(folder, server, linked):
    only_for_us = server.url("counting.h5?require_header=user-agent:inherited")
    with h5py.File(folder / "below/picky.h5", "w") as file:
        file["values"] = h5py.ExternalLink(only_for_us, "/values")
        layout = h5py.VirtualLayout((64, 64), "i4")
        layout[:] = h5py.VirtualSource(only_for_us, "values", shape=(64, 64))
        file.create_virtual_dataset("virtual", layout, fillvalue=-1)
    url = server.url("below/picky.h5")
    with h5py.File(url, "r", **OPTIONS) as file:
        assert target(file, "values")[0, 1] == 1
        assert file["virtual"][0, 1] == 1
    # By the environment, too, and there for all files.
    program = "import h5py, sys; f = h5py.File(sys.argv[1]); print(f['values'][0, 2], f['virtual'][0, 2])"
    settings = {"HDF5_DRIVER": "remfile", "HDF5_DRIVER_CONFIG": "user_agent=inherited"}
    assert output_of(program, url, **settings) == "2 2\n"
    assert run_python(program, url, HDF5_DRIVER="remfile").returncode == 1


def test_a_missing_target_is_asked_for_and_an_error(server, linked):
    with h5py.File(linked, "r", **OPTIONS) as file:
        server.reset()
        with pytest.raises((OSError, KeyError)):  # libhdf5 has words of its own for it
            target(file, "missing")
    assert set(server.requests()) == {"/files/below/missing.h5"}


def test_leads_to_a_local_file_if_the_user_allows_it(folder, server, tmp_path):
    with h5py.File(tmp_path / "mine.h5", "w") as file:
        file["values"] = np.arange(10)
    with h5py.File(folder / "links.h5", "w") as file:
        file["link"] = h5py.ExternalLink(str(tmp_path / "mine.h5"), "/values")
        layout = h5py.VirtualLayout((10,), "i8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "mine.h5"), "values", shape=(10,))
        file.create_virtual_dataset("virtual", layout, fillvalue=-1)
    for allowed, first in ((True, 0), (False, -1)):
        with h5py.File(server.url("links.h5"), "r", local_links=allowed, **OPTIONS) as file:
            assert file["virtual"][0] == first
            if allowed:
                np.testing.assert_array_equal(target(file, "link")[()], np.arange(10))


@pytest.mark.parametrize("kind", ["plain", "pointer"])
def test_never_leads_to_a_local_file(folder, server, tmp_path, kind):
    private = tmp_path / "private.h5"
    if kind == "plain":
        with h5py.File(private, "w") as file:
            file["values"] = [1]
    else:
        remfile_hdf5.write_pointer(private, server.url("counting.h5"))
        with h5py.File(private, "r", driver="remfile") as file:  # the user may
            assert file["values"][0, 1] == 1
    with h5py.File(folder / "evil.h5", "w") as file:
        file["values"] = h5py.ExternalLink(str(private), "/values")
    server.reset()
    with h5py.File(server.url("evil.h5"), "r", **OPTIONS) as file:
        with pytest.raises((OSError, KeyError)):
            target(file, "values")
    # The last libhdf5 tries is that name beside the file with the link, on the server.
    assert set(server.requests()) <= {"/files/evil.h5", "/files/private.h5"}
