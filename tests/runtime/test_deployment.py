"""Files that nothing here runs: do they name what exists?"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Set by one process for another, never by a person.
INTERNAL = {"VAULT_SOCKET", "PGAPPNAME", "DJANGO_SETTINGS_MODULE", "OMP_WAIT_POLICY"}
READ = re.compile(
    r"""(?:env\.(?:text|flag|number|folders?)\(\s*|environ(?:\.get\(|\.setdefault\(|\[))["']([A-Z_]+)"""
)
COMPOSE = (ROOT / "docker-compose.yml").read_text()


def listed() -> set[str]:
    """The variables of .env.example."""
    return set(re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))


def read() -> set[str]:
    """The variables that the code reads."""
    sources = [p for room in ("apps", "vaultsite") for p in (ROOT / room).rglob("*.py")]
    return {name for source in sources for name in READ.findall(source.read_text())}


def test_every_setting_is_in_the_example_and_nothing_else() -> None:
    assert listed() == read() - INTERNAL | {"POSTGRES_PASSWORD"}


def test_the_example_holds_no_secret() -> None:
    example = (ROOT / ".env.example").read_text()
    for name in ("SECRET_KEY", "POSTGRES_PASSWORD", "DATABASE_URL"):
        assert f"\n{name}=\n" in example


def test_compose_uses_only_listed_variables() -> None:
    assert set(re.findall(r"\$\{([A-Z_]+)", COMPOSE)) <= listed()


def test_compose_runs_modules_that_exist() -> None:
    modules = re.findall(r'"python", "-m", "([\w.]+)"', COMPOSE)
    assert set(modules) == {"vaultsite.serve", "vaultsite.runtime.worker"}
    for module in modules:
        assert (ROOT / module.replace(".", "/")).with_suffix(".py").is_file()


def test_compose_opens_the_web_alone_and_to_this_machine_alone() -> None:
    assert re.findall(r'ports:\n\s+- "([^"]+)"', COMPOSE) == ["127.0.0.1:${VAULT_PORT:-8000}:8000"]
    assert COMPOSE.count("ports:") == 1


def test_the_image_copies_what_exists_and_nothing_private() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    copied = [
        word
        for line in re.findall(r"^COPY (.+) \S+$", dockerfile, re.MULTILINE)
        for word in line.split()
    ]
    assert {"manage.py", "requirements.txt", "vaultsite", "apps", "templates", "static"} <= set(
        copied
    )
    assert all((ROOT / name).exists() for name in copied)
    assert "USER vault" in dockerfile


def test_compose_reads_it() -> None:
    program = shutil.which("docker-compose")
    if not program and os.environ.get("CI") != "true":
        pytest.skip("docker-compose is not installed")
    assert program, "in CI docker-compose must be there: test.sh installs it"
    secrets = {"POSTGRES_PASSWORD": "of-the-test", "SECRET_KEY": "of-the-test"}
    outcome = subprocess.run(
        [program, "--file", ROOT / "docker-compose.yml", "config"],
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "HOME": "/tmp", **secrets},
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    for service in ("db", "ollama", "pull", "migrate", "web", "worker"):
        assert f"\n  {service}:\n" in outcome.stdout


def test_compose_refuses_to_start_without_secrets() -> None:
    assert "${POSTGRES_PASSWORD:?" in COMPOSE
    assert "${SECRET_KEY:?" in COMPOSE


def test_the_licence_is_all_there() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert text.startswith("GNU AFFERO GENERAL PUBLIC LICENSE")
    for section in range(18):
        assert re.search(rf"^{section}\. ", text, re.MULTILINE), section
    assert "END OF TERMS AND CONDITIONS" in text
