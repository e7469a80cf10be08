"""Answers on disk, so that what has not changed is not sent again.

An answer is stored with its `ETag` and is used only after the server said 304 Not Modified to the same key, so the
cache never shows old data, nor the data of another key or of a plan that has ended.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from ._wire import Reply

FOLDER = "finserve"
# Whole histories of every series and some thousand pages of filings.
DEFAULT_BYTES = 200_000_000
# The cache looks at its folder again after it wrote this share of what it may hold.
SHARE_BETWEEN_LOOKS = 20
# What the files of a cache are called: whole answers, and those that are being written.
OWN_NAME = re.compile(r"[0-9a-f]{64}|new-\w{8}\.answer", re.ASCII)


def default_folder() -> Path:
    """The folder where programs of this user keep what they can fetch again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / FOLDER


def folder_within(folder: Path) -> Path:
    """The folder of the cache in one that the user named, which may hold other files."""
    return folder.expanduser() / FOLDER


class Cache:
    """A folder of answers, of which the least recently used are deleted. Other files in it are left alone.

    Several processes may share it: files appear whole, and a file that vanishes or is damaged counts as absent. A
    folder that cannot be written is no error; nothing is stored then.
    """

    def __init__(self, folder: Path, max_bytes: int = DEFAULT_BYTES) -> None:
        self.folder = folder
        self.max_bytes = max_bytes
        # The first write looks at what earlier programs left.
        self._until_look = 0

    def find(self, owner: str, url: str) -> tuple[str, Reply] | None:
        """The stored answer to this owner, and its `ETag`."""
        path = self._path(owner, url)
        try:
            head, _, body = path.read_bytes().partition(b"\n")
            stored = json.loads(head)
            if hashlib.sha256(body).hexdigest() != stored["sha256"]:
                return None
            os.utime(path)
            return str(stored["etag"]), Reply(200, dict(stored["headers"]), body)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def store(self, owner: str, url: str, reply: Reply) -> None:
        """Stores an answer that has an `ETag`."""
        etag = reply.headers.get("etag")
        if etag is None or len(reply.body) > self.max_bytes // SHARE_BETWEEN_LOOKS:
            return
        # The body was decoded on arrival, and the counters of the limit are of that moment.
        headers = {name: reply.headers[name] for name in ("link", "content-type") if name in reply.headers}
        digest = hashlib.sha256(reply.body).hexdigest()
        head = json.dumps({"etag": etag, "headers": headers, "sha256": digest}).encode()
        with suppress(OSError):
            self._write(self._path(owner, url), head + b"\n" + reply.body)

    def _path(self, owner: str, url: str) -> Path:
        # Neither keys nor addresses can be read from the name.
        return self.folder / hashlib.sha256(f"{owner}\n{url}".encode()).hexdigest()

    def _write(self, path: Path, content: bytes) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._until_look <= 0:
            self._delete_oldest(len(content))
            self._until_look = self.max_bytes // SHARE_BETWEEN_LOOKS
        self._until_look -= len(content)
        handle, name = tempfile.mkstemp(dir=self.folder, prefix="new-", suffix=".answer")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(name, path)
        except OSError:
            with suppress(OSError):
                os.unlink(name)
            raise

    def _delete_oldest(self, coming: int) -> None:
        """Deletes until what is there, and what is written before the next look, fits."""
        files = []
        for path in self.folder.iterdir():
            if not OWN_NAME.fullmatch(path.name):
                continue
            with suppress(OSError):
                status = path.lstat()
                if not stat.S_ISREG(status.st_mode):
                    continue
                files.append((status.st_mtime, status.st_size, path))
        room = self.max_bytes - self.max_bytes // SHARE_BETWEEN_LOOKS - coming
        held = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if held <= room:
                break
            with suppress(OSError):
                path.unlink()
            held -= size
