"""Programs that read HDF5 by way of other libraries: pynwb, netCDF4, PyTables."""

import re

import numpy as np
import pytest

import remfile_hdf5
from support import DATA, PRINT_LIBHDF5, output_of, run_python

pytest.importorskip("pynwb")

NWB = "pynwb_ephys_chunked.nwb"
#: The plugin for all files of a process: these libraries know no other way.
SETTINGS = {"HDF5_DRIVER": "remfile"}


@pytest.fixture
def pointer(data, tmp_path):
    path = tmp_path / NWB
    remfile_hdf5.write_pointer(path, data.url(NWB))
    return str(path)


READ_NWB = """
import sys, warnings
warnings.simplefilter("ignore")
from pynwb import NWBHDF5IO
import numpy as np
def report(io):
    nwb = io.read()
    print(nwb.identifier, sorted(nwb.acquisition), nwb.session_start_time)
    for name in sorted(nwb.acquisition):
        values = np.asarray(nwb.acquisition[name].data[:100])
        print(name, values.dtype, values.shape, values.tobytes().hex()[:4000])
"""


def test_pynwb_reads_through_h5py(data):
    local = output_of(READ_NWB + f"report(NWBHDF5IO({str(DATA / NWB)!r}, 'r'))")
    through = (
        READ_NWB + "import h5py, remfile_hdf5\n"
        f"report(NWBHDF5IO(file=h5py.File({data.url(NWB)!r}, 'r', driver='remfile')))\n" + PRINT_LIBHDF5
    )
    remote = output_of(through)
    assert len(local) > 500
    assert remote.startswith(local)
    assert len(remote[len(local) :].split()) == 1, "one libhdf5"


def test_pynwb_reads_through_a_pointer_file(pointer):
    local = output_of(READ_NWB + f"report(NWBHDF5IO({str(DATA / NWB)!r}, 'r'))")
    assert output_of(READ_NWB + f"report(NWBHDF5IO({pointer!r}, 'r'))", **SETTINGS) == local
    more = (
        "import warnings; warnings.simplefilter('ignore')\n"
        f"from pynwb import NWBHDF5IO, read_nwb; assert NWBHDF5IO.can_read({pointer!r}); "
        f"print(read_nwb({pointer!r}).identifier)"
    )
    assert output_of(more, **SETTINGS).strip() in local


@pytest.fixture
def netcdf(folder):
    """A netCDF-4 file and what is in it."""
    netCDF4 = pytest.importorskip("netCDF4")
    values = np.linspace(0, 1, 1000).reshape(10, 100)
    with netCDF4.Dataset(folder / "climate.nc", "w") as file:
        file.title = "a title"
        file.createDimension("time", None)
        file.createDimension("x", 100)
        file.createVariable("t", "f8", ("time", "x"), zlib=True, chunksizes=(2, 50))[:] = values
    return values


def test_netcdf4_reads_through_a_pointer_file(netcdf, server, tmp_path):
    remfile_hdf5.write_pointer(tmp_path / "climate.nc", server.url("climate.nc"))
    program = (
        "import netCDF4, sys, warnings; warnings.simplefilter('ignore')\n"
        "f = netCDF4.Dataset(sys.argv[1]); t = f['t']; "
        "print(f.title, t.dimensions, t[:].data.tobytes().hex() == sys.argv[2])\n"
    )
    words = (str(tmp_path / "climate.nc"), netcdf.tobytes().hex())
    expected = "a title ('time', 'x') True\n"
    lines = output_of(program + PRINT_LIBHDF5, *words, **SETTINGS)
    assert lines.startswith(expected)
    assert len(lines[len(expected) :].split()) == 1, "one libhdf5"


def test_netcdf4_with_a_broken_pointer_is_an_error_and_the_log_has_the_reason(server, tmp_path):
    remfile_hdf5.write_pointer(tmp_path / "missing.nc", server.url("missing.nc"))
    log = tmp_path / "log"
    program = "import netCDF4, sys; netCDF4.Dataset(sys.argv[1])"
    done = run_python(program, str(tmp_path / "missing.nc"), REMFILE_LOG=str(log), **SETTINGS)
    assert done.returncode == 1 and "NetCDF: HDF error" in done.stderr
    assert "404" in log.read_text()


def test_pytables_reads_through_a_pointer_file(folder, server, tmp_path):
    tables = pytest.importorskip("tables")
    with tables.open_file(folder / "table.h5", "w") as file:
        table = file.create_table("/", "runs", {"name": tables.StringCol(8), "speed": tables.Float64Col()})
        table.append([(f"run{i}".encode(), i / 8) for i in range(5000)])
    remfile_hdf5.write_pointer(tmp_path / "table.h5", server.url("table.h5"))
    program = (
        "import tables, sys; f = tables.open_file(sys.argv[1]); "
        "print(len(f.root.runs), [r['name'] for r in f.root.runs.where('speed > 624.7')]); f.close()\n"
    )
    lines = output_of(program + PRINT_LIBHDF5, str(tmp_path / "table.h5"), **SETTINGS)
    assert lines.startswith("5000 [b'run4998', b'run4999']\n")
    assert len(lines.split("\n")[1:-1]) == 1, "one libhdf5"


def test_pytables_tells_what_the_server_said(server, tmp_path):
    remfile_hdf5.write_pointer(tmp_path / "missing.h5", server.url("missing.h5"))
    program = "import tables, sys; tables.open_file(sys.argv[1])"
    done = run_python(program, str(tmp_path / "missing.h5"), **SETTINGS)
    assert re.search(r"remfile: cannot read .*/missing.h5: there is no such file \(HTTP 404", done.stderr)


def test_three_libhdf5_in_one_process_share_the_plugin(netcdf, server, folder, tmp_path):
    """They read at the same time, and each gets its own errors."""
    remfile_hdf5.write_pointer(tmp_path / "climate.nc", server.url("climate.nc"))
    remfile_hdf5.write_pointer(tmp_path / "missing.h5", server.url("missing.h5"))
    program = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "import h5py, netCDF4, tables, sys\n"
        "pointer, missing = sys.argv[1:]\n"
        "h, n, t = h5py.File(pointer), netCDF4.Dataset(pointer), tables.open_file(pointer)\n"
        "print(float(h['t'][9, 99]), float(n['t'][9, 99]), float(t.root.t[9, 99]))\n"
        "for attempt in (lambda: h5py.File(missing), lambda: tables.open_file(missing)):\n"
        "    try: attempt()\n"
        "    except Exception as error: print('404' in str(error))\n"
        "print(float(h['t'][0, 0]), float(n['t'][0, 0]), float(t.root.t[0, 0]))\n"
    )
    words = (str(tmp_path / "climate.nc"), str(tmp_path / "missing.h5"))
    lines = output_of(program + PRINT_LIBHDF5, *words, **SETTINGS).splitlines()
    assert lines[:4] == ["1.0 1.0 1.0", "True", "True", "0.0 0.0 0.0"]
    assert len(lines[4:]) == 3, "libhdf5 of h5py, of netCDF4 and of PyTables"
