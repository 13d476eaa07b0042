"""What tools print around a failure, written for these recordings: lines that say nothing about what broke.

Each function takes a seeded source of chance, the log's variables and the words after the macro's name, and gives the
lines. `MACROS` is the list of them: `@docker-pull IMAGE 24` in a log script calls `docker_pull`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from random import Random


def _hex(chance: Random, digits: int) -> str:
    return f"{chance.getrandbits(digits * 4):0{digits}x}"


def hosted(chance: Random, names: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """The head of every job on a machine of GitHub's."""
    return [
        "Current runner version: '2.335.0'",
        "##[group]Runner Image Provisioner",
        "Hosted Compute Agent",
        "Version: 20260902.431",
        f"Commit: {_hex(chance, 40)}",
        "Build Date: 2026-09-02T17:21:09Z",
        "##[endgroup]",
        "##[group]Operating System",
        *(words or ("Ubuntu", "24.04.3", "LTS")),
        "##[endgroup]",
        "##[group]Runner Image",
        "Image: " + ("macos-15-arm64" if "macOS" in words else "ubuntu-24.04"),
        "Version: 20260913.61.1",
        "##[endgroup]",
        *_permissions(),
        *_preparation(chance, names),
    ]


def self_hosted(chance: Random, names: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """The head of every job on a machine of the project's own."""
    return [
        "Current runner version: '2.334.0'",
        f"Runner name: '{names['RUNNER']}'",
        f"Runner group name: '{names['GROUP']}'",
        f"Machine name: '{names.get('HOST', names['RUNNER'])}'",
        *_permissions(),
        *_preparation(chance, names),
    ]


def _permissions() -> list[str]:
    return [
        "##[group]GITHUB_TOKEN Permissions",
        "Actions: read",
        "Contents: read",
        "Metadata: read",
        "##[endgroup]",
        "Secret source: None",
    ]


def _preparation(chance: Random, names: Mapping[str, str]) -> list[str]:
    return [
        "Prepare workflow directory",
        "Prepare all required actions",
        "Getting action download info",
        f"Download action repository 'actions/checkout@v4' (SHA:{_hex(chance, 40)})",
        f"Complete job name: {names['JOB']}",
    ]


def checkout(chance: Random, names: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """actions/checkout of the merge of a pull request, or of a branch."""
    work = names.get("WORK", "/home/runner/work")
    name = names["REPOSITORY"].split("/")[1]
    ref = f"pull/{names['PULL']}/merge" if names["PULL"] else names["BRANCH"]
    remote = f"refs/remotes/{ref}" if names["PULL"] else f"refs/remotes/origin/{ref}"
    fetched = _hex(chance, 40) if names["PULL"] else names["SHA"]
    head = f"Merge {names['SHA']} into {names['BASE']}" if names["PULL"] else names["TITLE"]
    return [
        "##[group]Run actions/checkout@v4",
        "with:",
        f"  repository: {names['REPOSITORY']}",
        "  token: ***",
        "  ssh-strict: true",
        "  ssh-user: git",
        "  persist-credentials: true",
        "  clean: true",
        "  sparse-checkout-cone-mode: true",
        "  fetch-depth: 1",
        "  fetch-tags: false",
        "  show-progress: true",
        "  lfs: false",
        "  submodules: false",
        "  set-safe-directory: true",
        "##[endgroup]",
        f"Syncing repository: {names['REPOSITORY']}",
        "##[group]Getting Git version info",
        f"Working directory is '{work}/{name}/{name}'",
        "[command]/usr/bin/git version",
        "git version 2.43.0",
        "##[endgroup]",
        f"Temporarily overriding HOME='{work}/_temp/{_hex(chance, 8)}' before making global git config changes",
        "Adding repository directory to the temporary git global config as a safe directory",
        f"[command]/usr/bin/git config --global --add safe.directory {work}/{name}/{name}",
        "##[group]Determining the checkout info",
        "##[endgroup]",
        "##[group]Fetching the repository",
        f"[command]/usr/bin/git -c protocol.version=2 fetch --no-tags --prune --depth=1 origin +{fetched}:{remote}",
        f"From https://github.com/{names['REPOSITORY']}",
        f" * [new ref]         {fetched} -> {ref}",
        "##[endgroup]",
        "##[group]Checking out the ref",
        f"[command]/usr/bin/git checkout --progress --force {remote}",
        f"HEAD is now at {fetched[:9]} {head}",
        "##[endgroup]",
        "[command]/usr/bin/git log -1 --format=%H",
        fetched,
    ]


def post_checkout(chance: Random, names: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """What actions/checkout does when the job is over."""
    work = names.get("WORK", "/home/runner/work")
    return [
        "Post job cleanup.",
        "[command]/usr/bin/git version",
        "git version 2.43.0",
        f"Temporarily overriding HOME='{work}/_temp/{_hex(chance, 8)}' before making global git config changes",
        r"[command]/usr/bin/git config --local --name-only --get-regexp core\.sshCommand",
        r"[command]/usr/bin/git config --local --name-only --get-regexp http\.https\:\/\/github\.com\/\.extraheader",
        "http.https://github.com/.extraheader",
        "[command]/usr/bin/git config --local --unset-all http.https://github.com/.extraheader",
    ]


def run(chance: Random, names: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """The head of a `run:` step; commands are parted by ` ;; `, `env NAME=value` words stand for its environment."""
    parts = [part.strip() for part in " ".join(words).split(";;")]
    commands = [part for part in parts if not part.startswith("env ")]
    settings = [part.removeprefix("env ") for part in parts if part.startswith("env ")]
    environment = [f"  {setting.replace('=', ': ', 1)}" for setting in settings]
    return [
        f"##[group]Run {commands[0]}",
        *(f"\x1b[36;1m{command}\x1b[0m" for command in commands),
        "shell: /usr/bin/bash --noprofile --norc -e -o pipefail {0}",
        *(["env:", *environment] if environment else []),
        "##[endgroup]",
    ]


def docker_pull(chance: Random, names: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """The progress of `docker pull IMAGE LAYERS [PULLED]`: without PULLED it ends well, else after that many layers."""
    image, count = words[0], int(words[1])
    pulled = int(words[2]) if len(words) > 2 else count
    layers = [_hex(chance, 12) for _ in range(count)]
    name, _, tag = image.partition(":")
    lines = [f"{tag}: Pulling from {name}"]
    lines += [f"{layer}: Pulling fs layer" for layer in layers]
    lines += [f"{layer}: Waiting" for layer in layers[3:]]
    for layer in layers[: min(count, pulled + 6)]:
        lines += [f"{layer}: Verifying Checksum", f"{layer}: Download complete"]
    lines += [f"{layer}: Pull complete" for layer in layers[:pulled]]
    if pulled == count:
        lines += [f"Digest: sha256:{_hex(chance, 64)}", f"Status: Downloaded newer image for {image}", image]
    return lines


_PACKAGES = """
    aiohttp anyio blobfile build certifi charset-normalizer click cloudpickle compressed-tensors decord2 dill
    einops fastapi filelock flask frozenlist fsspec gguf grpcio h11 httptools httpx huggingface-hub idna
    interegular jinja2 jiter lark llguidance markupsafe modelscope mpmath msgspec multidict multiprocess
    networkx ninja numpy openai orjson outlines-core packaging pandas partial-json-parser pillow
    prometheus-client psutil py-spy pybase64 pydantic pydantic-core python-multipart pyzmq regex requests
    safetensors scipy sentencepiece setproctitle sniffio soundfile starlette sympy tiktoken timm tokenizers
    tqdm transformers triton typing-extensions urllib3 uvicorn uvloop watchfiles websockets xgrammar yarl
"""


def pip(chance: Random, names: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """`pip install` of COUNT packages that ends well."""
    chosen = sorted(chance.sample(_PACKAGES.split(), int(words[0])))
    versions = {name: f"{chance.randint(0, 8)}.{chance.randint(0, 40)}.{chance.randint(0, 9)}" for name in chosen}
    lines = [f"Obtaining file://{names.get('WORK', '/home/runner/work')}/engine/engine/python"]
    lines += [
        "  Installing build dependencies: started",
        "  Installing build dependencies: finished with status 'done'",
    ]
    lines += ["  Getting requirements to build editable: started"]
    lines += ["  Getting requirements to build editable: finished with status 'done'"]
    for name, version in versions.items():
        wheel = f"{name.replace('-', '_')}-{version}-cp312-cp312-manylinux_2_28_x86_64.whl"
        if chance.random() < 0.4:
            lines.append(f"Requirement already satisfied: {name} in /opt/venv/lib/python3.12/site-packages ({version})")
        else:
            lines.append(f"Collecting {name}>={version} (from sglang==0.5.19)")
            lines.append(f"  Downloading {wheel} ({chance.randint(20, 9900) / 10} kB)")
    fresh = " ".join(f"{name}-{version}" for name, version in versions.items())
    return [*lines, "Installing collected packages: " + ", ".join(versions), f"Successfully installed {fresh}"]


_PHRASES = (
    "Load weight begin. avail mem=78.66 GB",
    "Capture cuda graph begin. This can take up to several minutes.",
    "Memory pool end. avail mem=9.84 GB",
    "Using default HuggingFace chat template with detected content format: string",
    "max_total_num_tokens=412183, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=4096",
    "Init torch distributed begin.",
    "Init torch distributed ends. mem usage=0.11 GB",
    "The server is fired up and ready to roll!",
)


def server(chance: Random, names: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """COUNT lines of a model server that starts, loads and serves, by its own clock."""
    at = datetime.fromisoformat(names["STARTED"]) + timedelta(seconds=240)
    lines = []
    for phrase in _PHRASES:
        at += timedelta(seconds=chance.randint(1, 6))
        lines.append(f"[{at:%Y-%m-%d %H:%M:%S}] {phrase}")
    for shard in range(1, 5):
        bar = "█" * (shard * 5)
        lines.append(f"Loading safetensors checkpoint shards: {shard * 25:3d}% Completed | {bar:<20} | {shard}/4")
    while len(lines) < int(words[0]):
        at += timedelta(seconds=chance.randint(0, 2))
        lines.append(f"[{at:%Y-%m-%d %H:%M:%S}] {_batch(chance)}")
        if chance.random() < 0.25:
            lines.append(f'INFO:     127.0.0.1:{chance.randint(30000, 60999)} - "POST /generate HTTP/1.1" 200 OK')
    return lines[: int(words[0])]


def _batch(chance: Random) -> str:
    usage = f"token usage: 0.{chance.randint(0, 40):02d}"
    if chance.random() < 0.3:
        return (
            f"Prefill batch, #new-seq: {chance.randint(1, 9)}, #new-token: {chance.randint(64, 8192)}, "
            f"#cached-token: {chance.randint(0, 900)}, {usage}, #running-req: {chance.randint(0, 30)}, #queue-req: 0"
        )
    return (
        f"Decode batch, #running-req: {chance.randint(1, 32)}, #token: {chance.randint(500, 9000)}, {usage}, "
        f"cuda graph: True, gen throughput (token/s): {chance.randint(20000, 480000) / 100}, #queue-req: 0"
    )


def nvidia_smi(chance: Random, names: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """The table of COUNT idle GPUs."""
    bar = "+" + "-" * 41 + "+" + "-" * 24 + "+" + "-" * 22 + "+"
    lines = [
        "+" + "-" * 89 + "+",
        "| NVIDIA-SMI 580.65.06              Driver Version: 580.65.06      CUDA Version: 13.0     |",
        bar,
    ]
    for gpu in range(int(words[0])):
        heat, power = chance.randint(27, 39), chance.randint(66, 79)
        place = f"00000000:{chance.randint(16, 99)}:00.0 Off"
        lines += [
            f"|   {gpu}  NVIDIA H100 80GB HBM3          On  |   {place} |                    0 |",
            f"| N/A   {heat}C    P0             {power}W /  700W |       1MiB /  81559MiB |      0%      Default |",
            bar,
        ]
    return [
        *lines,
        "|  No running processes found                                                             |",
        lines[0],
    ]


def mlx_progress(chance: Random, names: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """COUNT passing tests of a verbose pytest run over 61."""
    files = ("attention_wrapper", "kv_pool", "model_runner", "quantized_linear", "radix_cache_backend", "sampler")
    topics = ("batch_of_one", "empty_prompt", "long_prompt", "mixed_lengths", "padding", "quantized_weights",
              "reuse_of_slots", "rope_offset", "shape", "two_requests")  # fmt: skip
    tests = [(name, topic) for name in files for topic in topics][: int(words[0])]
    return [
        f"test/registered/unit/hardware_backend/mlx/test_{name}.py::Test{name.title().replace('_', '')}::test_{topic} "
        f"PASSED [{(index + 1) * 100 // 61:3d}%]"
        for index, (name, topic) in enumerate(tests)
    ]


def pytest_files(chance: Random, names: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """COUNT files of a pytest run over TOTAL tests, all passing; five tests are left for the script."""
    topics = ("batch", "cache", "chat", "config", "decode", "errors", "grammar", "ids", "limits", "loader", "merge",
              "metrics", "parser", "prefill")  # fmt: skip
    names_of_files = sorted({f"{first}_{second}" for first in topics for second in ("basic", "long")})[: int(words[0])]
    left, lines, total = int(words[1]) - 5, [], int(words[1])
    for index, name in enumerate(names_of_files):
        count = left if index == len(names_of_files) - 1 else min(left // (len(names_of_files) - index), 60)
        left -= count
        head = f"tests/test_{name}.py {'.' * count}"
        lines.append(f"{head:<73}[{(total - 5 - left) * 100 // total:3d}%]")
    return lines


MACROS: Mapping[str, Callable[[Random, Mapping[str, str], Sequence[str]], list[str]]] = {
    "hosted": hosted,
    "self-hosted": self_hosted,
    "checkout": checkout,
    "post-checkout": post_checkout,
    "pytest-files": pytest_files,
    "run": run,
    "docker-pull": docker_pull,
    "pip": pip,
    "server": server,
    "mlx-progress": mlx_progress,
    "nvidia-smi": nvidia_smi,
}
