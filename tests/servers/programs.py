"""Other people's servers and proxies, started for a test and ended with it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

NWB = "pynwb_ephys_chunked.nwb"  # of tests/data


def needed(program: str) -> str:
    """The program's path; without it the test is skipped, but never in CI."""
    path = shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
    if path is None:
        why = f"there is no {program}: scripts/setup-servers installs it"
        if os.environ.get("CI"):
            pytest.fail(why)
        pytest.skip(why)
    return path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Program:
    """A process that listens on a port of this machine."""

    def __init__(self, command: list[str], port: int, log: Path, **variables: str):
        self.log = log
        with log.open("wb") as output:
            environment = {**os.environ, **variables}
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment
            )
        deadline = time.monotonic() + 60
        while not self._listens(port):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"{command[0]} does not listen: {log.read_text()}")
            time.sleep(0.02)

    @staticmethod
    def _listens(port: int) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) == 0

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def make_certificates(folder: Path) -> tuple[Path, Path, Path]:
    """An authority of our own and a certificate by it for localhost: (authority, certificate, key)."""
    openssl = needed("openssl")
    ca, ca_key, key, request = (folder / name for name in ("ca.pem", "ca.key", "host.key", "host.csr"))
    certificate, extensions = folder / "host.pem", folder / "extensions"
    extensions.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    new = ["req", "-newkey", "rsa:2048", "-nodes"]
    for words in (
        [*new, "-x509", "-days", "2", "-subj", "/CN=authority", "-keyout", ca_key, "-out", ca],
        [*new, "-subj", "/CN=localhost", "-keyout", key, "-out", request],
        ["x509", "-req", "-in", request, "-CA", ca, "-CAkey", ca_key, "-set_serial", "1", "-days", "2"]
        + ["-extfile", extensions, "-out", certificate],
    ):
        subprocess.run([openssl, *words], check=True, capture_output=True)
    return ca, certificate, key
