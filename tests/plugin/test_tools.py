"""HDF5's own command-line tools from 1.14 on."""

import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from support import DATA, PLUGIN, TOP, environment

TOOLS = Path(os.environ.get("REMFILE_HDF5_TOOLS", TOP / ".cache/hdf5-tools/bin"))
pytestmark = pytest.mark.skipif(not (TOOLS / "h5dump").exists(), reason="no tools: scripts/setup-hdf5-tools")

NWB = "pynwb_ephys_chunked.nwb"


def run(tool, *words, **variables):
    return subprocess.run(
        [TOOLS / tool, *map(str, words)], env=environment(**variables), capture_output=True, text=True, timeout=100
    )


@pytest.mark.parametrize("name", [NWB, "test_vlen_datasets_latest.hdf5", "compound_datasets_latest.hdf5"])
def test_h5dump_prints_the_same_remotely_as_locally(data, name):
    if not (DATA / name).exists():
        pytest.skip(f"no {name}")
    local = run("h5dump", DATA / name)
    remote = run("h5dump", "--vfd-name=remfile", data.url(name))
    assert (remote.returncode, remote.stderr) == (0, "")
    assert len(local.stdout) > 500
    assert remote.stdout.replace(data.url(name), str(DATA / name)) == local.stdout


def test_h5ls_takes_the_driver_by_argument_and_by_environment(data):
    local = run("h5ls", "-r", DATA / NWB)
    by_argument = run("h5ls", "-r", "--vfd-name=remfile", data.url(NWB))
    by_environment = run("h5ls", "-r", data.url(NWB), HDF5_DRIVER="remfile")
    assert len(local.stdout.splitlines()) > 20
    assert (by_argument.stdout, by_argument.stderr) == (local.stdout, "")
    assert (by_environment.stdout, by_environment.stderr) == (local.stdout, "")


def test_h5stat_counts_the_same(data):
    local = run("h5stat", DATA / NWB)
    remote = run("h5stat", data.url(NWB), HDF5_DRIVER="remfile")
    assert (remote.returncode, remote.stderr) == (0, "")
    assert remote.stdout.splitlines()[1:] == local.stdout.splitlines()[1:]  # without the name


def test_options_come_as_vfd_info(server):
    url = server.url("counting.h5?require_header=user-agent:by-info")
    words = ["--vfd-name=remfile", "--enable-error-stack=2", "-H", url]
    done = run("h5dump", "--vfd-info=user_agent=by-info, max_retries=0", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert "denied" in run("h5dump", *words).stderr
    assert "unknown option 'colour'; known are min_chunk_size" in run("h5dump", "--vfd-info=colour=red", *words).stderr


def test_h5dump_tells_what_the_server_said(server):
    done = run("h5dump", "--vfd-name=remfile", "--enable-error-stack=2", server.url("missing.h5"))
    assert done.returncode == 1
    assert "there is no such file (HTTP 404" in done.stderr


def test_there_is_one_libhdf5_in_h5dump(server):
    """Looked at while it waits for the server."""
    url = server.url("counting.h5?stall=head")
    words = [str(TOOLS / "h5dump"), "--vfd-name=remfile", "-H", url]
    with subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        try:
            while not server.requests() and child.poll() is None:
                time.sleep(0.05)
            maps = Path(f"/proc/{child.pid}/maps").read_text()
        finally:
            child.kill()
    paths = {line.split()[-1] for line in maps.splitlines()}
    assert len([path for path in paths if re.search(r"/libhdf5(?!_hl|_tools)[^/]*\.so", path)]) == 1, paths
    assert str(PLUGIN) in paths


def test_pointer_files_need_no_url(server, tmp_path):
    from remfile_hdf5 import write_pointer

    write_pointer(tmp_path / "pointer.h5", server.url("counting.h5"))
    done = run("h5dump", "-d", "/values[0,0;;1,3]", tmp_path / "pointer.h5", HDF5_DRIVER="remfile")
    assert "(0,0): 0, 1, 2" in done.stdout
