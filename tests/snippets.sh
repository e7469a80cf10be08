#!/usr/bin/env bash
# Runs the guide's snippets that verify a webhook's signature, in Python and JavaScript, against the vector that Standard
# Webhooks publishes and the call that docs/webhooks.md shows. tests/snippets.sh; needs Python 3 and Node.js.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Takes the one block of a language that defines `verify` out of docs/webhooks.md, and the call that is shown there.
python3 - "$work" <<'END'
import json, pathlib, re, sys

guide, work = pathlib.Path("docs/webhooks.md").read_text(), pathlib.Path(sys.argv[1])
for language, file in ("python", "snippet.py"), ("javascript", "snippet.mjs"):
    blocks = re.findall(rf"```{language}\n(.*?)```", guide, re.S)
    [block] = [block for block in blocks if " verify(" in block]
    (work / file).write_text(block)

published = {
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "headers": {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
    "body": '{"test": 2432232314}',
    "now": 1614265330,
}
[(head, body)] = re.findall(r"```http\n(.*?)\n\n(.*?)\n```", guide, re.S)
headers = dict(line.split(": ", 1) for line in head.splitlines()[1:])
shown = {**published, "headers": headers, "body": body, "now": int(headers["webhook-timestamp"])}


def variants(case):
    yield "as it is", case, True
    yield "five minutes late", {**case, "now": case["now"] + 300}, True
    yield "too old", {**case, "now": case["now"] + 301}, False
    yield "from the future", {**case, "now": case["now"] - 301}, False
    yield "another body", {**case, "body": case["body"].replace("2", "3", 1)}, False
    yield "another secret", {**case, "secret": "whsec_" + "A" * 32}, False
    without = {**case, "secret": case["secret"].removeprefix("whsec_")}
    yield "a secret without its mark", without, True
    sign = lambda text: {**case, "headers": {**case["headers"], "webhook-signature": text}}
    right = case["headers"]["webhook-signature"]
    yield "one of several signatures", sign(f"v1,AAAA v1a,{right} {right}"), True
    yield "another version", sign(right.replace("v1,", "v2,")), False
    yield "no signature", sign(""), False
    yield "a signature that is no ASCII", sign("v1,é"), False
    other = {**case["headers"], "webhook-id": "msg_x"}
    yield "another id", {**case, "headers": other}, False
    yield "no time", {**case, "headers": {**case["headers"], "webhook-timestamp": "soon"}}, False


cases = [
    {"name": f"{source}: {name}", "case": case, "wanted": wanted}
    for source, case in (("the published vector", published), ("the guide's call", shown))
    for name, case, wanted in variants(case)
]
(work / "cases.json").write_text(json.dumps(cases))
END

cat >"$work/run.py" <<'END'
import json, sys
from snippet import verify

wrong = 0
for one in json.load(open("cases.json")):
    case = one["case"]
    given = verify(case["secret"], case["headers"], case["body"].encode(), now=case["now"])
    if given is not one["wanted"]:
        print("Python:", one["name"], "gives", given)
        wrong += 1
sys.exit(wrong > 0)
END

cat >"$work/run.mjs" <<'END'
import { readFileSync } from "node:fs";
import { verify } from "./snippet.mjs";

let wrong = 0;
for (const { name, case: { secret, headers, body, now }, wanted } of JSON.parse(readFileSync("cases.json"))) {
  for (const received of [body, Buffer.from(body)]) {
    const given = verify(secret, headers, received, now);
    if (given === wanted) continue;
    console.log("JavaScript:", name, "gives", given);
    wrong += 1;
  }
}
process.exitCode = wrong > 0 ? 1 : 0;
END

cd "$work"
PYTHONDONTWRITEBYTECODE=1 python3 run.py
node run.mjs
echo "both snippets judge $(grep -o '"wanted"' cases.json | wc -l | tr -d ' ') calls rightly"
