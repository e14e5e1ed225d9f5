"""Processes end in order, whatever they leave open: libhdf5 closes files when statics are gone already."""

import pytest

from support import output_of, run_python

SETTINGS = {"HDF5_DRIVER": "remfile", "HDF5_DRIVER_CONFIG": "min_chunk_size=1024, head_size=1024, max_retries=0"}

PROGRAMS = {
    "with a file open": "import h5py, sys; f = h5py.File(sys.argv[1]); f['values'][0]; print('done')",
    "with a file open at the level of identifiers": (
        "import h5py, sys; f = h5py.h5f.open(sys.argv[1].encode(), h5py.h5f.ACC_RDONLY); "
        "d = h5py.h5d.open(f, b'values'); print('done')"
    ),
    "after an open that failed": (
        "import h5py, sys\n"
        "for i in range(3):\n"
        "    try: h5py.File(sys.argv[1] + '.missing')\n"
        "    except OSError as error: assert '404' in str(error)\n"
        "print('done')"
    ),
    "from another thread than the reader's": (
        "import h5py, sys, threading\n"
        "def read():\n"
        "    global f\n"
        "    f = h5py.File(sys.argv[1]); f['values'][0]\n"
        "t = threading.Thread(target=read); t.start(); t.join(); print('done')"
    ),
    "with a child of a fork that reads and ends": (
        "import h5py, os, sys\n"
        "f = h5py.File(sys.argv[1]); first = f['values'][0, 1]\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    assert f['values'][63, 0] == 63 * 64\n"
        "    sys.exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
        "assert f['values'][40, 1] == 40 * 64 + 1; print('done')"
    ),
    "with a pool of forked workers": (
        "import h5py, multiprocessing, sys\n"
        "def row(i): return int(f['values'][i, 0])\n"
        "f = h5py.File(sys.argv[1])\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    assert pool.map(row, range(64)) == [64 * i for i in range(64)]\n"
        "print('done')"
    ),
    "having opened and closed many files": (
        "import h5py, sys\nfor i in range(50):\n    with h5py.File(sys.argv[1]) as f: f['values'][i]\nprint('done')"
    ),
}


@pytest.mark.parametrize("way", PROGRAMS)
def test_ends_in_order(server, way):
    assert output_of(PROGRAMS[way], server.url("counting.h5"), **SETTINGS) == "done\n"


def test_ends_at_once_while_the_server_does_not_answer(server):
    program = (
        "import h5py, sys, threading, time\n"
        "f = h5py.File(sys.argv[1])\n"
        "def read():\n"
        "    try: f['values'][()]\n"
        "    except OSError: pass\n"
        "threading.Thread(target=read, daemon=True).start(); time.sleep(0.3); print('done', flush=True)\n"
        "import os; os._exit(0)"
    )
    url = server.url("counting.h5?stall=head&after=3")
    assert output_of(program, url, **SETTINGS) == "done\n"


def test_a_driver_that_is_not_found_is_an_error(server, tmp_path):
    """By HDF5's own doing a crash in HDF5 2.0: one reason to choose the driver by file."""
    done = run_python("import h5py, sys; h5py.File(sys.argv[1])", server.url("counting.h5"), HDF5_DRIVER="nobody")
    assert done.returncode != 0
