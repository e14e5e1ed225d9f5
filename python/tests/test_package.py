"""The package by itself; tests/plugin reads files with it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import h5py
import pytest

import remfile_hdf5
from remfile_hdf5 import PluginNotFoundError, find_plugin
from remfile_hdf5._options import to_text

TOP = Path(__file__).resolve().parents[2]
NAME = "libremfile_vfd_plugin.so"


@pytest.fixture
def bare(monkeypatch):
    """No word of the plugin in the environment."""
    for name in ("REMFILE_PLUGIN_PATH", "HDF5_PLUGIN_PATH", "CMAKE_PREFIX_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(remfile_hdf5._plugin, "_prefixes", lambda: iter([]))
    return monkeypatch


def make_plugin(folder):
    folder.mkdir(parents=True)
    (folder / NAME).write_bytes(b"")
    return folder / NAME


@pytest.mark.parametrize("by", ["file", "folder"])
def test_the_plugin_is_where_the_variable_says(bare, tmp_path, by):
    plugin = make_plugin(tmp_path / "named")
    bare.setenv("HDF5_PLUGIN_PATH", str(make_plugin(tmp_path / "other").parent))
    bare.setenv("REMFILE_PLUGIN_PATH", str(plugin if by == "file" else plugin.parent))
    assert find_plugin() == plugin


def test_the_plugin_is_in_a_folder_of_hdf5(bare, tmp_path):
    plugin = make_plugin(tmp_path / "filters")
    bare.setenv("HDF5_PLUGIN_PATH", f"{tmp_path}/empty:{plugin.parent}")
    assert find_plugin() == plugin


@pytest.mark.parametrize("library", ["lib", "lib64"])
def test_the_plugin_is_where_cmake_installs_it(bare, tmp_path, library):
    plugin = make_plugin(tmp_path / library / "hdf5/plugin")
    bare.setattr(remfile_hdf5._plugin, "_prefixes", lambda: iter(["/nonexistent", str(tmp_path)]))
    assert find_plugin() == plugin


def test_a_missing_plugin_is_an_error_that_tells_where_it_was_looked_for(bare):
    bare.setenv("HDF5_PLUGIN_PATH", "/nonexistent/filters")
    with pytest.raises(PluginNotFoundError, match=r"REMFILE_BUILD_PLUGIN=ON(.|\n)*/nonexistent/filters"):
        find_plugin()
    with pytest.raises(PluginNotFoundError):
        h5py.File("http://127.0.0.1:1/a.h5", "r", driver="remfile")


def test_a_broken_plugin_is_an_error_that_names_it(tmp_path):
    """In a process of its own: HDF5 has loaded the right one here."""
    plugin = make_plugin(tmp_path / "broken")
    program = "import h5py, remfile_hdf5; h5py.File('http://127.0.0.1:1/a.h5', 'r', driver='remfile')"
    variables = {**os.environ, "REMFILE_PLUGIN_PATH": str(plugin), "PYTHONPATH": str(TOP / "python/src")}
    done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True)
    assert f"did not load the remfile plugin {plugin}" in done.stderr


def test_options_are_written_as_remfile_reads_them():
    assert to_text({"max_retries": 3, "read_ahead": False, "verify_tls": True, "proxy": None}) == (
        "max_retries=3, read_ahead=0, verify_tls=1"
    )
    assert to_text({"head_size": "64 KiB", "ca_file": "/etc/a, b.pem"}) == 'head_size=64 KiB, ca_file="/etc/a, b.pem"'
    assert to_text({"user_agent": 'a "b" \\'}) == r'user_agent="a \"b\" \\"'
    assert to_text({"user_agent": "x", "proxy": ""}) == 'user_agent=x, proxy=""'
    assert to_text({"user_agent": "a\nproxy=b"}) == 'user_agent="a\nproxy=b"'


def test_the_module_as_a_command(tmp_path):
    variables = {**os.environ, "PYTHONPATH": str(TOP / "python/src")}
    run = lambda *words: subprocess.run(  # noqa: E731
        [sys.executable, "-m", "remfile_hdf5", *words], env=variables, capture_output=True, text=True
    )
    assert run("--plugin-dir").stdout == f"{find_plugin().parent}\n"
    assert h5py.version.hdf5_version in run().stdout
    done = run("nowhere.h5")
    assert done.returncode == 1 and "error: " in done.stderr and "Traceback" not in done.stderr


def test_has_the_version_of_remfile():
    cargo = (TOP / "Cargo.toml").read_text()
    assert remfile_hdf5.__version__ == re.search(r'^version = "(.*)"$', cargo, re.MULTILINE)[1]


def test_the_allowed_options_of_pointer_files_are_those_of_the_driver():
    header = (TOP / "cpp/src/pointer_format.hpp").read_text()
    listed = re.search(r"pointer_options\[\] = \{(.*?)\}", header, re.DOTALL)[1]
    assert tuple(re.findall(r'"(\w+)"', listed)) == remfile_hdf5._pointer.OPTIONS
