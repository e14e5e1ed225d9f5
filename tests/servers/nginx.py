"""nginx as a process, and what it says about whom it served how."""

from pathlib import Path

from programs import NWB, Program, free_port, make_certificates, needed


class Nginx:
    def __init__(self, here: Path, data: Path):
        program = needed("nginx")
        self.authority, certificate, key = make_certificates(here)
        self.tls, self.brief, self.plain = free_port(), free_port(), free_port()
        # The password is "secret", by crypt's MD5, which is nginx's own.
        (here / "users").write_text("me:{PLAIN}secret\n")
        names = {"HERE": here, "DATA": data, "CERTIFICATE": certificate, "KEY": key}
        names |= {"TLS": self.tls, "BRIEF": self.brief, "PLAIN": self.plain}
        text = Path(__file__).with_name("nginx.conf").read_text()
        for name, value in names.items():
            text = text.replace(f"@{name}@", str(value))
        (here / "nginx.conf").write_text(text)
        self.access = here / "access.log"
        self.visits = 0
        command = [program, "-p", str(here), "-e", str(here / "error.log"), "-c", str(here / "nginx.conf")]
        self.program = Program(command, self.plain, here / "output")

    def visit(
        self, location: str, name: str = NWB, port: int | None = None, host: str = "localhost", scheme: str = "https"
    ) -> "Visit":
        self.visits += 1
        return Visit(self.access, f"{scheme}://{host}:{port or self.tls}/{location}/{name}?visit={self.visits}")


class Visit:
    """A URL that nobody else reads, and the answers it got.

    nginx writes an answer down when it has ended, and notices late what was given up: what stands in the log since
    a moment may be of a file that was closed before it.
    """

    def __init__(self, access: Path, url: str):
        self._access = access
        self.url = url

    def answers(self) -> list[list[str]]:
        """Status, protocol, connection, bytes and path of each answer, OK where all of it was sent, and the user agent."""
        lines = [line.split() for line in self._access.read_text().splitlines()]
        return [line for line in lines if line[4].partition("?")[2] == self.url.partition("?")[2]]

    def statuses(self) -> list[str]:
        return [answer[0] for answer in self.answers()]

    def protocols(self) -> set[str]:
        return {answer[1] for answer in self.answers()}

    def connections(self) -> set[str]:
        return {answer[2] for answer in self.answers()}
