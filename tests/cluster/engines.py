#!/usr/bin/env python3
"""Runs a command with a PostgreSQL and a Redis or Valkey of its own, and ends both afterwards.

Their addresses are in FINSERVE_TEST_POSTGRES and FINSERVE_TEST_REDIS. The exit code is the command's.

    tests/cluster/engines.py cargo test --workspace cluster
"""

import os
import subprocess
import sys

import stage


def main():
    if len(sys.argv) < 2:
        sys.exit("engines.py COMMAND…: there is no command to run")
    with stage.Postgres() as postgres, stage.Redis() as redis:
        engines = {"FINSERVE_TEST_POSTGRES": postgres.url(), "FINSERVE_TEST_REDIS": redis.url()}
        return subprocess.run(sys.argv[1:], env={**os.environ, **engines}).returncode


if __name__ == "__main__":
    sys.exit(main())
