"""The version of the package, which is that of the server it was made for."""

VERSION = "0.4.0"
