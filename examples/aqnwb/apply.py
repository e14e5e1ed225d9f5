#!/usr/bin/env python3
"""Puts HDF5IO::openRemote into a checkout of AqNWB.

New files are copied from `files/`, a few lines go into AqNWB's own files at the places listed below, which
are found by structure: a CMake command, a declaration, a heading. All places are looked up before anything is
written. Running it again changes nothing.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


class NotFound(Exception):
    """A place that is not in the file, in words for a person."""


Finder = Callable[[str], int]


def _command(text: str, name: str, first: str) -> tuple[int, int]:
    """Where `name(first ...)` begins and ends in CMake code."""
    start = re.search(rf"^[ \t]*{name}[ \t]*\(\s*{re.escape(first)}(?=[\s)])", text, re.MULTILINE)
    if start is None:
        raise NotFound(f"the command {name}({first} ...)")
    depth = 0
    for token in re.compile(r'#[^\n]*|"(?:\\.|[^"\\])*"|[()]', re.DOTALL).finditer(text, start.start()):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if depth == 0 and token.group() == ")":
            return start.start(), token.end()
    raise NotFound(f"the end of the command {name}({first} ...)")


def before_command(name: str, first: str) -> Finder:
    return lambda text: _command(text, name, first)[0]


def after_command(name: str, first: str) -> Finder:
    def find(text: str) -> int:
        end = _command(text, name, first)[1]
        return text.find("\n", end) + 1 or len(text)

    return find


def after_argument(name: str, first: str, argument: str) -> Finder:
    """The line after `argument` in a command that has one argument a line."""

    def find(text: str) -> int:
        start, end = _command(text, name, first)
        found = re.compile(rf"^[ \t]*{re.escape(argument)}[ \t]*\n", re.MULTILINE).search(text, start, end)
        if found is None:
            raise NotFound(f"{argument} on a line of its own in {name}({first} ...)")
        return found.end()

    return find


def after_member(class_name: str, what: str, pattern: str) -> Finder:
    """The line after a declaration in a class that ends with `};` at the line's start."""

    def find(text: str) -> int:
        body = re.search(rf"^class {class_name}\b[^;{{]*\{{.*?^\}};", text, re.MULTILINE | re.DOTALL)
        if body is None:
            raise NotFound(f"the class {class_name}")
        found = re.compile(pattern + r"[^;{}]*;[^\n]*\n").search(text, body.start(), body.end())
        if found is None:
            raise NotFound(f"the declaration of {what} in the class {class_name}")
        return found.end()

    return find


def after_statement(function: str, what: str, pattern: str) -> Finder:
    """The line after a statement of a function whose body ends with `}` at the line's start."""

    def find(text: str) -> int:
        body = re.search(rf"{function}\([^;{{]*\)[^;{{]*\n\{{.*?^\}}", text, re.MULTILINE | re.DOTALL)
        if body is None:
            raise NotFound(f"the definition of {function}")
        found = re.compile(pattern + r"[^;]*;[^\n]*\n").search(text, body.start(), body.end())
        if found is None:
            raise NotFound(f"{what} in {function}")
        return found.end()

    return find


def after_line(what: str, pattern: str) -> Finder:
    def find(text: str) -> int:
        found = re.search(rf"^{pattern}[^\n]*\n", text, re.MULTILINE)
        if found is None:
            raise NotFound(what)
        return found.end()

    return find


@dataclass(frozen=True)
class Insertion:
    path: str
    find: Finder
    text: str
    mark: str  # what is in the file only if some form of the text is

    def apply(self, text: str) -> str:
        place = self.find(text)
        return text[:place] + self.text + text[place:]


def _piece(name: str) -> str:
    return (HERE / "insert" / name).read_text()


INSERTIONS = [
    Insertion(
        "CMakeLists.txt",
        after_argument("add_library", "aqnwb_aqnwb", "src/io/hdf5/HDF5IO.cpp"),
        "    src/io/hdf5/HDF5IORemote.cpp\n",
        "HDF5IORemote.cpp",
    ),
    Insertion(
        "CMakeLists.txt",
        after_command("target_link_libraries", "aqnwb_aqnwb"),
        "\ninclude(cmake/remfile.cmake)\n",
        "cmake/remfile.cmake",
    ),
    Insertion(
        "cmake/install-rules.cmake",
        before_command("install", "EXPORT"),
        _piece("install-rules.cmake"),
        "install-remfile.cmake",
    ),
    Insertion(
        "cmake/install-config.cmake",
        after_command("include", '"${CMAKE_CURRENT_LIST_DIR}/aqnwbTargets.cmake"'),
        '\ninclude("${CMAKE_CURRENT_LIST_DIR}/aqnwbRemfile.cmake" OPTIONAL)\n',
        "aqnwbRemfile.cmake",
    ),
    Insertion(
        "src/io/hdf5/HDF5IO.hpp",
        after_member("HDF5IO", "open(FileMode)", r"\bStatus\s+open\s*\(\s*FileMode\b"),
        _piece("HDF5IO_public.hpp"),
        "openRemote(",
    ),
    Insertion(
        "src/io/hdf5/HDF5IO.hpp",
        after_member("HDF5IO", "m_file", r"\bm_file\b"),
        _piece("HDF5IO_private.hpp"),
        "m_remoteError",
    ),
    Insertion(
        "src/io/hdf5/HDF5IO.cpp",
        after_statement("HDF5IO::readDataset", "the variable numElements", r"\bnumElements\s*="),
        _piece("HDF5IO_readDataset.cpp"),
        "prefetchRemote(",
    ),
    Insertion(
        "tests/CMakeLists.txt",
        after_argument("add_executable", "aqnwb_test", "testHDF5IO.cpp"),
        "    testHDF5IORemote.cpp\n",
        "testHDF5IORemote.cpp",
    ),
    Insertion(
        "docs/pages/1_userdocs.dox",
        after_line("the line \\subpage read_page", r"[ \t]*\*[ \t]*-[ \t]*\\subpage read_page\b"),
        " * - \\subpage remote_page\n",
        "remote_page",
    ),
    Insertion(
        "CHANGELOG.md",
        after_line("the heading '### Added'", r"### Added\b"),
        _piece("CHANGELOG.md"),
        "openRemote",
    ),
]


def _new_files() -> list[Path]:
    return sorted(path.relative_to(HERE / "files") for path in (HERE / "files").rglob("*") if path.is_file())


def plan(checkout: Path) -> tuple[dict[str, str], list[str], list[str]]:
    """What to write, what is there already, and what stands in the way."""
    write: dict[str, str] = {}
    there: list[str] = []
    wrong: list[str] = []
    for path in _new_files():
        if path.name.startswith("."):
            continue
        ours = (HERE / "files" / path).read_text()
        if not (checkout / path).exists():
            write[str(path)] = ours
        elif (checkout / path).read_text() == ours:
            there.append(str(path))
        else:
            wrong.append(f"{path}: there is another file of this name")
    for insertion in INSERTIONS:
        try:
            before = write.get(insertion.path) or (checkout / insertion.path).read_text()
            if insertion.text in before:
                there.append(f"{insertion.path} ({insertion.mark})")
            elif insertion.mark in before:
                wrong.append(f"{insertion.path}: {insertion.mark} is there, in another form")
            else:
                write[insertion.path] = insertion.apply(before)
        except NotFound as place:
            wrong.append(f"{insertion.path}: cannot find {place}")
        except OSError as error:
            wrong.append(f"{insertion.path}: {error.strerror}")
    return write, there, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, help="folder of AqNWB's source, changed in place")
    parser.add_argument("--dry-run", action="store_true", help="look all places up, write nothing")
    arguments = parser.parse_args()

    write, there, wrong = plan(arguments.checkout)
    for line in wrong:
        print(f"apply.py: {line}", file=sys.stderr)
    if wrong:
        print("apply.py: nothing was changed", file=sys.stderr)
        return 1
    for line in there:
        print(f"already there: {line}")
    for path, text in write.items():
        print(f"{'would write' if arguments.dry_run else 'wrote'}: {path}")
        if not arguments.dry_run:
            (arguments.checkout / path).parent.mkdir(parents=True, exist_ok=True)
            (arguments.checkout / path).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
