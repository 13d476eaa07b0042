"""Law 3 as a table: which changed files can bring about what kind of failure.

A reading that excuses is void when the change touches a file that drives what failed. The table errs on the side of
withholding an excuse: a row too many costs an `unknown`, a row too few a wrong excuse.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from triage.decide.paths import is_harness, matches_any
from triage.model import Basis, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from triage.decide.change import Change
    from triage.model import Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """A kind of failure, and the files that drive it.

    Attributes:
        failed: What failed, for people.
        shows_in: Looked for in the id and title of the rule, the name of the failed step, and what the step runs.
        globs: Repository-relative paths, see `triage.decide.paths.matches_any`.
    """

    failed: str
    shows_in: re.Pattern[str]
    globs: tuple[str, ...]


def _words(*words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{'|'.join(words)})", re.IGNORECASE)


DRIVERS: tuple[Driver, ...] = (
    Driver(
        failed="container or image",
        shows_in=_words("docker", "container", "podman", "image", "build(?:x|kit)", "compose", "layer", "overlay"),
        globs=(
            "**/*Dockerfile*",
            "**/*Containerfile*",
            "**/docker/**",
            "**/container/**",
            "**/containers/**",
            "**/.devcontainer/**",
            "**/*compose*.yml",
            "**/*compose*.yaml",
            "**/docker-bake.*",
            "**/.dockerignore",
        ),
    ),
    Driver(
        failed="installing dependencies, downloads",
        shows_in=_words(
            *("install", "dependenc", "requirement", "package", "wheel", "registry", "index", "download", "fetch"),
            *(
                "setup",
                "set up",
                "resol",
                "lock",
                "cache",
                r"pip\d?\b",
                r"uv\b",
                "poetry",
                "conda",
                "npm",
                "yarn",
                "pnpm",
            ),
            *(
                r"apt\b",
                "apt-get",
                "cargo",
                "crate",
                r"go mod",
                "module",
                "maven",
                "gradle",
                r"gem\b",
                "bundle",
                "composer",
            ),
            *("nuget", "artifact", "hub"),
        ),
        globs=(
            *("**/*requirements*.txt", "**/*requirements*.in", "**/requirements/**", "**/*constraints*.txt"),
            *(
                "**/pyproject.toml",
                "**/setup.py",
                "**/setup.cfg",
                "**/Pipfile",
                "**/environment*.yml",
                "**/environment*.yaml",
            ),
            *(
                "**/*.lock",
                "**/*-lock.json",
                "**/*-lock.yaml",
                "**/package.json",
                "**/.npmrc",
                "**/.yarnrc*",
                "**/pip.conf",
            ),
            *("**/go.mod", "**/go.sum", "**/Cargo.toml", "**/rust-toolchain*", "**/Gemfile", "**/*.gemspec"),
            *(
                "**/pom.xml",
                "**/*.gradle",
                "**/*.gradle.kts",
                "**/libs.versions.toml",
                "**/composer.json",
                "**/*.csproj",
            ),
            *("**/packages.config", "**/vcpkg.json", "**/conanfile.*", "**/apt*.txt", "**/packages*.txt"),
        ),
    ),
    Driver(
        failed="checkout",
        shows_in=_words("checkout", "submodule", "clone", r"git\b", r"lfs\b"),
        globs=("**/.gitmodules", "**/.gitattributes", "**/.lfsconfig"),
    ),
    Driver(
        failed="building",
        shows_in=_words("build", "compil", "cmake", "make", "ninja", "bazel", "link", "kernel"),
        globs=(
            *("**/CMakeLists.txt", "**/*.cmake", "**/Makefile", "**/*.mk", "**/meson.build", "**/meson_options.txt"),
            *(
                "**/BUILD",
                "**/BUILD.bazel",
                "**/WORKSPACE*",
                "**/MODULE.bazel",
                "**/*.bzl",
                "**/.bazelrc",
                "**/setup.py",
            ),
            *("**/build.rs", "**/build.sh", "**/CMakePresets.json"),
        ),
    ),
)
"""What failed, and which changed files void an excuse for it. Workflows, CI scripts and harness come on top."""

CI_FILES: tuple[str, ...] = (
    ".github/workflows/**",
    ".github/actions/**",
    ".github/scripts/**",
    ".github/*.sh",
    "**/action.yml",
    "**/action.yaml",
    "**/.ci/**",
    "**/ci/**",
)
"""Files that drive steps of CI and nothing else."""

SCRIPTS: tuple[str, ...] = (
    "**/*.sh",
    "**/*.bash",
    "**/*.ps1",
    "**/*.bat",
    "scripts/**",
    "tools/**",
    "**/Makefile",
    "**/justfile",
    "**/tox.ini",
    "**/noxfile.py",
    "**/Taskfile.*",
)
"""Files that a step may run. They count when it is not known what the step runs."""

TEST_SETTINGS: tuple[str, ...] = (
    "**/conftest.py",
    "**/pytest.ini",
    "**/tox.ini",
    "**/jest.config.*",
    "**/vitest.config.*",
    "**/playwright.config.*",
    "**/.mocharc*",
    "**/karma.conf.*",
    "**/nextest.toml",
)
"""Files that every test of a suite runs under."""

_EXCUSES_OF_STEPS = frozenset({Fault.INFRASTRUCTURE, Fault.GPU_RESIDUE, Fault.MISSING_LABEL})
"""Faults that a file which a step runs or reads can fake or bring about."""


def is_drivable(failure: Failure) -> bool:
    """Whether a changed file could bring the failure about, or fake its signs: then an unread change voids it too.

    Not when GitHub itself says that the job was cancelled or that its machine went away in the middle of a step, and
    not for a job that follows a red one: that one has to be explained by itself.
    """
    if failure.fault is Fault.STARVED:
        return True
    if failure.fault not in _EXCUSES_OF_STEPS:
        return False
    lost_machine = failure.failed_step is not None and failure.failed_step.is_unfinished
    return failure.basis is not Basis.PLATFORM or not lost_machine


def touched_drivers(failure: Failure, change: Change) -> tuple[str, ...]:
    """Return the changed paths that drive what failed, in GitHub's order; empty also when the change is unread."""
    if not is_drivable(failure):
        return ()
    drives = _Drives(failure, change)
    return tuple(dict.fromkeys(path for path in change.paths if drives.is_driven_by(path)))


class _Drives:
    """What drives one failure."""

    def __init__(self, failure: Failure, change: Change) -> None:
        self._failure = failure
        self._entries = change.entries_of(failure.job)
        self._workflow = change.workflows.get(failure.job.run_id)
        # A called workflow's steps stand in another file: then nothing is known of what the step runs.
        self._knows_steps = bool(self._entries) and all(entry.steps for entry in self._entries)
        self._steps = tuple(step for entry in self._entries for step in entry.steps)
        self._globs = tuple(
            glob for driver in DRIVERS if driver.shows_in.search(self._about()) for glob in driver.globs
        )

    def _about(self) -> str:
        """What is known of the failure, without a word of its log."""
        failure = self._failure
        rule = (failure.rule.id.replace("-", " "), failure.rule.title) if failure.rule else ()
        step = failure.failed_step.name if failure.failed_step else ""
        return "\n".join((*rule, failure.title, step, self._command_of(step)))

    def _command_of(self, step: str) -> str:
        return next((one.run for one in self._steps if step and one.name == step), "")

    def is_driven_by(self, path: str) -> bool:
        """Whether the file of that path can bring the failure about."""
        if self._is_of_workflow(path):
            return True
        if self._failure.basis is Basis.PLATFORM:
            return False
        return self._is_run(path) or matches_any(path, self._globs) or self._is_under_tests(path)

    def _is_of_workflow(self, path: str) -> bool:
        if not self._knows_steps:
            return matches_any(path, CI_FILES[:2])
        return path == (self._workflow.path if self._workflow else None) or any(
            path == used or path.startswith(f"{used}/") for used in self._used()
        )

    def _used(self) -> Iterator[str]:
        """Yield local actions and workflows that the job uses."""
        for used in (*(step.uses for step in self._steps), *(entry.uses or "" for entry in self._entries)):
            if used.startswith("./"):
                yield used.removeprefix("./").rstrip("/")

    def _is_run(self, path: str) -> bool:
        if not self._knows_steps:
            return matches_any(path, CI_FILES) or matches_any(path, SCRIPTS)
        return any(_runs(step.run, path) for step in self._steps)

    def _is_under_tests(self, path: str) -> bool:
        tests = self._failure.tests
        if not (tests.failures or tests.runners or tests.ran is not None):
            return False
        return is_harness(path) or matches_any(path, TEST_SETTINGS)


_WORD = re.compile(r"[\w./@+-]+")
_READS: dict[str, tuple[str, ...]] = {
    "make": ("**/Makefile", "**/*.mk"),
    "just": ("**/justfile",),
    "tox": ("**/tox.ini",),
    "nox": ("**/noxfile.py",),
    "task": ("**/Taskfile.*",),
    "pre-commit": ("**/.pre-commit-config.yaml",),
}
"""Files that a command reads without naming them."""


def _runs(command: str, path: str) -> bool:
    """Whether a step's command runs the file: by its name, by a script beside or below it, or without naming it."""
    words = [word.removeprefix("./") for word in _WORD.findall(command)]
    folder = path.rpartition("/")[0]
    for word in words:
        # A name alone, `cd scripts && ./start.sh`, and a path from elsewhere, `/srv/scripts/start.sh`, both count.
        if f"/{path}".endswith(f"/{word}") or word.endswith(f"/{path}"):
            return True
        # What scripts share lies beside them or higher up: scripts/ci/common.sh for scripts/ci/xpu/start.sh.
        is_script = matches_any(word, CI_FILES) or matches_any(word, SCRIPTS)
        if is_script and folder and word.startswith(f"{folder}/") and _may_be_script(path):
            return True
        if word in _READS and matches_any(path, _READS[word]):
            return True
    return False


def _may_be_script(path: str) -> bool:
    return matches_any(path, SCRIPTS) or matches_any(path, CI_FILES) or "." not in path.rsplit("/", 1)[-1]
