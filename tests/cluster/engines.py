#!/usr/bin/env python3
"""Runs a command with a PostgreSQL, a Redis or Valkey and a cluster of two of its own, and ends all of them afterwards.

Their addresses are in FINSERVE_TEST_POSTGRES, FINSERVE_TEST_REDIS and FINSERVE_TEST_REDIS_CLUSTER. The exit code is the
command's.

    tests/cluster/engines.py cargo test --workspace --features finserve/cluster cluster
"""

import os
import subprocess
import sys

import stage


def main():
    if len(sys.argv) < 2:
        sys.exit("engines.py COMMAND…: there is no command to run")
    with stage.Postgres() as postgres, stage.Redis() as redis, stage.RedisCluster() as cluster:
        engines = {
            "FINSERVE_TEST_POSTGRES": postgres.url(),
            "FINSERVE_TEST_REDIS": redis.url(),
            "FINSERVE_TEST_REDIS_CLUSTER": cluster.url(),
        }
        return subprocess.run(sys.argv[1:], env={**os.environ, **engines}).returncode


if __name__ == "__main__":
    sys.exit(main())
