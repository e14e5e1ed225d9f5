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
        command = [program, "-p", str(here), "-e", str(here / "error.log"), "-c", str(here / "nginx.conf")]
        self.program = Program(command, self.plain, here / "output")

    def url(self, location: str, name: str = NWB, port: int | None = None) -> str:
        return f"https://localhost:{port or self.tls}/{location}/{name}"

    def answers(self, location: str) -> list[list[str]]:
        """Status, protocol, connection, bytes and path of each answer at a location, OK where all of it was sent, and the user agent."""
        lines = [line.split() for line in self.access.read_text().splitlines()]
        return [line for line in lines if line[4].startswith(f"/{location}/")]

    def statuses(self, location: str) -> list[str]:
        return [answer[0] for answer in self.answers(location)]
