"""One row under trial: its servers, its figures, and whether all is as wanted."""

import contextlib
import sys

import trial


class Case:
    def __init__(self, program, template, keys):
        self.program, self.template, self.keys = program, template, keys
        self.holds, self.skipped = True, False

    def note(self, text):
        """A figure."""
        print(f"    {text}", flush=True)

    def want(self, holds, text):
        """A figure that must be so."""
        self.holds &= bool(holds)
        print(f"    {'' if holds else 'NOT AS WANTED: '}{text}", flush=True)

    def skip(self, reason):
        """This row, or what is left of it, cannot be tried here."""
        self.skipped = True
        print(f"    SKIPPED: {reason}", flush=True)

    def directory(self):
        """A data directory of its own."""
        return trial.directory(self.template)

    @contextlib.contextmanager
    def server(self, *flags, **options):
        """A server with a data directory of its own."""
        with self.directory() as data, trial.Server(self.program, data, *flags, **options) as server:
            yield server

    def has(self, flag):
        return trial.knows(self.program, flag)

    def ready_says(self, server, status, when):
        """Wants `/ready` to answer so, where there is such a thing."""
        if not server.admin:
            self.want(False, f"{when}: there is no --admin, and so no /ready")
            return
        seen = server.becomes_ready(status)
        self.want(seen == status, f"{when}: /ready answers {seen or server.ready()}")

    def end(self):
        """Ends the program that tried this row, by an exit code that says how it went."""
        sys.exit(0 if self.holds and not self.skipped else 1 if not self.holds else 77)
