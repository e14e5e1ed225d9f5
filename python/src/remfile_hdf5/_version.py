"""The version, which is remfile's (a test holds it to Cargo.toml)."""

__version__ = "0.1.0"
