#!/usr/bin/env python3
"""Tests examples/aqnwb/apply.py on a copy of AqNWB's source, and leaves the copy, changed, for the builds.

usage: test_apply.py SOURCE COPY
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

APPLY = Path(__file__).resolve().parents[2] / "examples/aqnwb/apply.py"
SOURCE = COPY = Path()

# What to spoil in AqNWB's files, one place at a time, and what must be said of it.
PLACES = [
    ("CMakeLists.txt", r"add_library\(\s*aqnwb_aqnwb", "other(", "the command add_library(aqnwb_aqnwb"),
    ("CMakeLists.txt", r"src/io/hdf5/HDF5IO\.cpp", "src/other.cpp", "src/io/hdf5/HDF5IO.cpp on a line"),
    ("CMakeLists.txt", r"target_link_libraries\(\s*aqnwb_aqnwb", "other(", "target_link_libraries(aqnwb_aqnwb"),
    ("cmake/install-rules.cmake", r"EXPORT aqnwbTargets\s+NAMESPACE", "FILES", "install(EXPORT"),
    ("cmake/install-config.cmake", r"include\(", "other(", "aqnwbTargets.cmake"),
    ("src/io/hdf5/HDF5IO.hpp", r"class HDF5IO\b", "class Other", "the class HDF5IO"),
    ("src/io/hdf5/HDF5IO.hpp", r"Status open\(FileMode", "Status other(FileMode", "open(FileMode)"),
    ("src/io/hdf5/HDF5IO.hpp", r"\bm_file\b", "m_other", "m_file"),
    ("src/io/hdf5/HDF5IO.cpp", r"HDF5IO::readDataset", "HDF5IO::other", "the definition of HDF5IO::readDataset"),
    ("src/io/hdf5/HDF5IO.cpp", r"numElements =", "count =", "numElements in HDF5IO::readDataset"),
    ("tests/CMakeLists.txt", r"testHDF5IO\.cpp", "other.cpp", "testHDF5IO.cpp"),
    ("docs/pages/1_userdocs.dox", r"read_page", "other_page", "read_page"),
    ("CHANGELOG.md", r"### Added", "### New", "### Added"),
]


def apply(checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, APPLY, checkout], capture_output=True, text=True, check=False)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def copy(source: Path, to: Path) -> Path:
    shutil.copytree(source, to, ignore=shutil.ignore_patterns(".git", "build"), symlinks=True)
    return to


class Apply(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.checkout = copy(SOURCE, Path(folder.name) / "aqnwb")

    def test_only_adds_lines_and_files(self) -> None:
        before = contents(self.checkout)
        done = apply(self.checkout)
        self.assertEqual(done.returncode, 0, done.stderr)
        after = contents(self.checkout)
        self.assertLess(before.keys(), after.keys())
        for name, content in before.items():
            rest = iter(after[name].splitlines())
            self.assertTrue(all(line in rest for line in content.splitlines()), name)
        changed = {name for name, content in before.items() if after[name] != content}
        self.assertEqual(changed, {place[0] for place in PLACES})

    def test_changes_nothing_the_second_time(self) -> None:
        apply(self.checkout)
        once = contents(self.checkout)
        done = apply(self.checkout)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout)
        for line in done.stdout.splitlines():
            self.assertTrue(line.startswith("already there: "), line)
        self.assertEqual(contents(self.checkout), once)

    def test_names_a_place_that_is_not_found_and_changes_nothing(self) -> None:
        for name, pattern, other, said in PLACES:
            with self.subTest(place=said):
                path = self.checkout / name
                good = path.read_text()
                path.write_text(re.sub(pattern, other, good))
                spoilt = contents(self.checkout)
                done = apply(self.checkout)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{name}: cannot find", done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(contents(self.checkout), spoilt)
                path.write_text(good)

    def test_names_a_file_that_is_missing(self) -> None:
        (self.checkout / "CHANGELOG.md").unlink()
        done = apply(self.checkout)
        self.assertEqual(done.returncode, 1)
        self.assertIn("CHANGELOG.md: No such file", done.stderr)

    def test_leaves_other_files_of_the_same_name_and_other_versions_alone(self) -> None:
        (self.checkout / "cmake/remfile.cmake").write_text("# somebody's\n")
        header = self.checkout / "src/io/hdf5/HDF5IO.hpp"
        header.write_text(header.read_text() + "// openRemote()\n")
        before = contents(self.checkout)
        done = apply(self.checkout)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cmake/remfile.cmake: there is another file", done.stderr)
        self.assertIn("openRemote( is there, in another form", done.stderr)
        self.assertEqual(contents(self.checkout), before)


def refresh_copy() -> None:
    """The changed copy, with untouched times where nothing is new: builds go on from where they were."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = copy(SOURCE, Path(folder) / "aqnwb")
        done = apply(fresh)
        print(done.stdout, done.stderr, sep="", end="", flush=True)
        if done.returncode != 0:
            sys.exit("test_apply.py: apply.py failed on a copy of AqNWB's source")
        new = contents(fresh)
        for name in contents(COPY).keys() - new.keys() if COPY.exists() else ():
            (COPY / name).unlink()
        for name, content in new.items():
            path = COPY / name
            if not path.exists() or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    SOURCE, COPY = (Path(argument).resolve() for argument in sys.argv[1:])
    refresh_copy()
    unittest.main(argv=sys.argv[:1])
