"""Pointer files: small local files that stand for a remote one."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from ._options import Value, to_text

# As in remfile's cpp/src/pointer_format.hpp; a test holds the two together.
HEADER = b"\x89HDF\r\n\x1a\nremfile-pointer 1\n"
OPTIONS = (
    "min_chunk_size",
    "max_chunk_size",
    "head_size",
    "read_ahead",
    "connect_timeout_ms",
    "stall_timeout_ms",
    "read_timeout_ms",
    "max_retries",
)


def write_pointer(path: str | os.PathLike[str], url: str, *, keep_secrets: bool = False, **options: Value) -> None:
    """Writes a pointer file: remfile reads `url` in place of the local file `path`.

    A file is easily passed on, so a URL with a user name, password or query, which may hold a secret, is
    refused unless `keep_secrets` says so. Of remfile's options only those in OPTIONS can be carried.
    """
    parts = urlsplit(url)
    if parts.scheme.lower() not in ("http", "https") or not parts.netloc:
        raise ValueError(f"{url!r} is not an http:// or https:// URL")
    if any(ord(c) <= 0x20 or ord(c) == 0x7F for c in url):
        raise ValueError("the URL has spaces or control characters in it; percent-encode them")
    if not keep_secrets and ("@" in parts.netloc or "?" in url):
        raise ValueError(
            "the URL has a user name or a query in it, which may be a secret; keep_secrets=True writes it nevertheless"
        )
    for name in options:
        if name not in OPTIONS:
            raise ValueError(f"a pointer file cannot carry the option {name}; only {', '.join(OPTIONS)}")
    lines = [f"url={url}", *(to_text({name: options[name]}) for name in OPTIONS if options.get(name) is not None)]
    Path(path).write_bytes(HEADER + "".join(line + "\n" for line in lines).encode())
