"""The ways in which Python opens a file: local, remfile of PyPI, fsspec, ROS3."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import h5py


def open_local(name: str) -> h5py.File:
    return h5py.File(name, "r")


def open_remfile(name: str) -> h5py.File:
    import remfile

    return h5py.File(remfile.File(name), "r")


def open_fsspec(name: str) -> h5py.File:
    """fsspec's HTTP file system as it comes: a cache of 5 MiB blocks, `bytes`."""
    import fsspec

    return h5py.File(fsspec.filesystem("http").open(name, "rb"), "r")


def open_fsspec_readahead(name: str) -> h5py.File:
    import fsspec

    return h5py.File(fsspec.filesystem("http").open(name, "rb", cache_type="readahead"), "r")


def open_fsspec_blocks(name: str) -> h5py.File:
    import fsspec

    return h5py.File(fsspec.filesystem("http").open(name, "rb", cache_type="blockcache"), "r")


def open_ros3(name: str) -> h5py.File:
    """libhdf5's own S3 driver, pointed at the server: http://host/bucket/key is s3://bucket/key there."""
    scheme, _, rest = name.partition("://")
    host, _, key = rest.partition("/")
    os.environ.update(
        AWS_ENDPOINT_URL=f"{scheme}://{host}",
        AWS_EC2_METADATA_DISABLED="true",
        AWS_CONFIG_FILE=os.devnull,
        AWS_SHARED_CREDENTIALS_FILE=os.devnull,
        AWS_REGION="us-east-1",
    )
    return h5py.File(f"s3://{key}", "r", driver="ros3", aws_region=b"us-east-1")


OPENERS: dict[str, Callable[[str], Any]] = {
    "local": open_local,
    "remfile-py": open_remfile,
    "fsspec": open_fsspec,
    "fsspec-readahead": open_fsspec_readahead,
    "fsspec-blocks": open_fsspec_blocks,
    "ros3": open_ros3,
}

# Imported before the clock starts.
MODULES: dict[str, list[str]] = {
    "remfile-py": ["remfile"],
    "fsspec": ["fsspec", "fsspec.implementations.http", "aiohttp"],
    "fsspec-readahead": ["fsspec", "fsspec.implementations.http", "aiohttp"],
    "fsspec-blocks": ["fsspec", "fsspec.implementations.http", "aiohttp"],
}
