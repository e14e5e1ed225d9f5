"""Options as the text that remfile reads, "key=value, key=value"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

Value = Union[str, int, bool, None]


def to_text(options: Mapping[str, Value], separator: str = ", ") -> str:
    """Names and bounds are remfile's business; it refuses what it does not know when it opens a file."""
    return separator.join(f"{key}={_text(value)}" for key, value in options.items() if value is not None)


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    text = str(value)
    # Anything but a plain word stands in quotes, so that no value ends early or begins another option.
    if text and all(c.isalnum() or c in "._-/: " for c in text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
