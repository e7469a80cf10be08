#!/usr/bin/env bash
# Checks the Python client with a server program: clients/python/check.sh target/release/finserve [python3.12 …]
#
# Builds the wheel, installs it into fresh environments and runs formatter, lints, type checkers, all tests and the notebook;
# then the tests again without pandas and the like, and with each other Python that is named. Needs Python 3 and a network;
# installs everything below a temporary folder.
set -euo pipefail
program=$(realpath "$1")
shift
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet --disable-pip-version-check uv==0.13.8
uv() { "$work/tools/bin/uv" --quiet --no-progress "$@"; }

uv build --wheel --out-dir "$work/dist" .
wheel=$(echo "$work"/dist/*.whl)
tests=(pytest==9.2.0 pyyaml==6.0.3)
tools=(ruff==0.17.5 mypy==2.4.1 "pyright==1.1.414" "pandas-stubs==3.1.0.261029" types-tqdm==4.70.0.20261106 typing-extensions)
notebook=(nbclient==0.11.0 nbformat ipykernel==7.4.0)

# An environment with so many packages, by the name of its folder.
environment() {
    local folder=$work/$1 python=$2
    shift 2
    uv venv --python "$python" "$folder"
    uv pip install --python "$folder" "${tests[@]}" "$@"
}
# The tests of an environment. What is tested is the wheel: nothing leads to the sources.
run_tests() {
    local folder=$work/$1
    shift
    (cd "$work" && PYTHONDONTWRITEBYTECODE=1 PATH="$folder/bin:$PATH" \
        python -m pytest --quiet -p no:cacheprovider --program "$program" --rootdir "$tests_folder" "$tests_folder" "$@")
}
tests_folder=$PWD/tests

environment full python3 "${wheel}[all]" "${tools[@]}" "${notebook[@]}"
export PATH=$work/full/bin:$PATH
ruff format --check --no-cache .
ruff check --no-cache --quiet .
mypy --cache-dir "$work/mypy" --python-executable "$work/full/bin/python"
pyright --pythonpath "$work/full/bin/python"

environment bare python3 "$wheel"
run_tests bare -k "not twenty" &
bare=$!
run_tests full --durations 5
wait "$bare"

for python in "$@"; do
    environment "of-$python" "$python" "${wheel}[all]"
    echo "== $python"
    run_tests "of-$python" --ignore "$tests_folder/test_documents.py"
done
