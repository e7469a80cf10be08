#!/usr/bin/env python3
"""Tries HTTPS: certificates that are replaced while serving, wrong files, peers that speak something else.

Needs Python 3 and openssl.

    tests/tls.py target/release/finserve
"""

import contextlib
import hashlib
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import warnings

import figures
import trial

SILENT = 60
good = True


def want(holds, text):
    """Prints a figure that must be so."""
    global good
    good &= bool(holds)
    print(f"{'' if holds else 'NOT AS WANTED: '}{text}", flush=True)


def certificate(place, name, kind):
    """A certificate for localhost that signs itself, and its key."""
    cert, key = place / f"{name}.pem", place / f"{name}.key"
    new = ["-newkey", "rsa:2048"] if kind == "rsa" else ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    command = ["openssl", "req", "-x509", *new, "-nodes", "-days", "30", "-subj", f"/CN={name}"]
    command += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)]
    subprocess.run(command, check=True, capture_output=True)
    return cert, key


def fingerprint(cert):
    """The SHA-256 of a certificate in a PEM file."""
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(cert.read_text())).hexdigest()


def context(*trusted, most=None):
    context = ssl.create_default_context()
    for cert in trusted:
        context.load_verify_locations(cert)
    if most:
        # Old versions are offered only by a client that insists.
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, most
    return context


def https(address, trusted, path="/health", timeout=10):
    """Asks over TLS. Returns the status and the fingerprint of the certificate; 0 and the error if that fails."""
    connection = http.client.HTTPSConnection(*address, context=trusted, timeout=timeout)
    try:
        connection.request("GET", path)
        seen = hashlib.sha256(connection.sock.getpeercert(binary_form=True)).hexdigest()
        response = connection.getresponse()
        response.read()
        return response.status, seen
    except (OSError, http.client.HTTPException) as error:
        return 0, repr(error)
    finally:
        connection.close()


def replace(source, target):
    """Puts a file in place of another at once."""
    new = target.with_suffix(".new")
    shutil.copy(source, new)
    os.rename(new, target)


def main():
    program = sys.argv[1]
    if not trial.knows(program, "tls-cert"):
        sys.exit("this binary has no --tls-cert")
    with trial.folder() as place:
        first, second, other = (
            certificate(place, name, kind) for name, kind in (("first", "ec"), ("second", "rsa"), ("other", "ec"))
        )
        cert, key = place / "live.pem", place / "live.key"
        shutil.copy(first[0], cert)
        shutil.copy(first[1], key)
        flags = ["--tls-cert", str(cert), "--tls-key", str(key)]
        data = place / "data"
        with trial.Server(program, data):
            pass  # It fills the directory.
        with trial.Server(program, data, *flags) as server:
            trusted = context(first[0], second[0], other[0])
            answered(server, trusted, first[0])
            replaced(server, trusted, first, second, cert, key)
            strangers(server, trusted, second[0])
            server.signal(signal.SIGTERM)
            want(server.exit(10) == 0, f"SIGTERM: exit code {server.child.returncode}")
        wrong_files(program, data, place, first, other)
    return good


def answered(server, trusted, cert):
    want(server.first_line.count("https://"), f"the first line names https: {server.first_line!r}")
    status, seen = https(server.address, trusted)
    want(
        status == 200 and seen == fingerprint(cert),
        f"HTTPS: {status}, the certificate is ours: {seen == fingerprint(cert)}",
    )
    connection = http.client.HTTPSConnection(*server.address, context=trusted, timeout=10)
    connection.request("GET", "/docs/openapi.json")
    address = json.loads(connection.getresponse().read())["servers"][0]["url"]
    connection.close()
    want(address.startswith("https://"), f"it describes itself as {address}")
    status, error = https(server.address, ssl.create_default_context())
    want(status == 0, f"a client that does not trust it: {error[:100]}")
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_1):
        status, said = https(server.address, context(cert, most=version))
        want(
            (status == 200) == (version == ssl.TLSVersion.TLSv1_2),
            f"{version.name}: {status} {'' if status else said[:80]}",
        )


def replaced(server, trusted, first, second, cert, key):
    """Another certificate is used without a restart; a pair that does not fit is not."""
    kept = http.client.HTTPSConnection(*server.address, context=trusted, timeout=20)
    kept.request("GET", "/health")
    kept.getresponse().read()
    began = time.monotonic()
    replace(second[1], key)
    replace(second[0], cert)
    new = trial.until(lambda: https(server.address, trusted)[1] == fingerprint(second[0]), 30)
    want(new, f"another certificate is used {time.monotonic() - began:.1f} s after its files changed")
    kept.request("GET", "/health")
    response = kept.getresponse()
    response.read()
    want(response.status == 200, f"a connection from before goes on: {response.status}")
    kept.close()
    replace(first[0], cert)
    server.signal(signal.SIGHUP)
    time.sleep(2)
    status, seen = https(server.address, trusted)
    want(status == 200 and seen == fingerprint(second[0]), f"a certificate without its key is not used: {status}")
    said = [line for line in server.log().splitlines() if "certificate" in line.lower() or "tls" in line.lower()]
    want(said, f"and the log says so: {said[-1:]}")
    cert.write_text("")
    server.signal(signal.SIGHUP)
    time.sleep(2)
    want(https(server.address, trusted)[0] == 200, "an empty file is not used")
    replace(second[0], cert)
    server.signal(signal.SIGHUP)
    time.sleep(1)
    want(https(server.address, trusted)[1] == fingerprint(second[0]), "after SIGHUP with a whole pair all is well")


def strangers(server, trusted, cert):
    """Plain HTTP, noise and silence do no harm."""
    for name, sent in [
        ("plain HTTP", b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("noise", bytes(range(256)) * 8),
        ("half a greeting", b"\x16\x03\x01\x02\x00\x01"),
    ]:
        with contextlib.closing(trial.connect(server.address, timeout=30)) as client:
            client.sendall(sent)
            client.settimeout(2 if name == "half a greeting" else 20)
            try:
                got = client.recv(4096)
            except OSError as error:
                got = repr(error).encode()
        status = https(server.address, trusted)[0]
        want(status == 200, f"after {name} (answered with {got[:40]!r}) HTTPS is answered with {status}")
    silent = [trial.connect(server.address, trial.ATTACKER) for _ in range(SILENT)]
    times = figures.Times()
    for _ in range(50):
        began = time.monotonic()
        status = https(server.address, trusted)[0]
        times.append(time.monotonic() - began if status == 200 else float("inf"))
    want(not times.failed(), f"beside {SILENT} silent peers: {times}")
    began = time.monotonic()
    cut = trial.until(lambda: all(is_closed(peer) for peer in silent), 45)
    want(cut, f"silent peers are closed after {time.monotonic() - began:.0f} s")
    for peer in silent:
        peer.close()


def is_closed(peer):
    peer.setblocking(False)
    try:
        return peer.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def wrong_files(program, data, place, first, other):
    """Files that cannot be used are refused at start with one sentence."""
    empty, noise = place / "empty.pem", place / "noise.pem"
    empty.touch()
    noise.write_bytes(os.urandom(3000))
    broken = place / "broken.pem"
    broken.write_text(first[0].read_text()[:300] + "\n-----END CERTIFICATE-----\n")
    for name, cert, key in [
        ("no certificate", place / "missing.pem", first[1]),
        ("no key", first[0], place / "missing.key"),
        ("an empty certificate", empty, first[1]),
        ("an empty key", first[0], empty),
        ("noise", noise, first[1]),
        ("half a certificate", broken, first[1]),
        ("the key of another certificate", first[0], other[1]),
        ("both exchanged", first[1], first[0]),
        ("a directory", place, first[1]),
    ]:
        code, message = trial.refused_start(program, data, "--tls-cert", str(cert), "--tls-key", str(key))
        one = isinstance(code, int) and code > 0 and len(message.splitlines()) <= 2 and "panicked" not in message
        want(one and "PRIVATE" not in message, f"{name}: {code}, {message[:200]!r}")
    code, message = trial.refused_start(program, data, "--tls-cert", str(first[0]))
    want(code == 2, f"a certificate without --tls-key: {code}")


if __name__ == "__main__":
    if not main():
        sys.exit("HTTPS is not as it should be")
