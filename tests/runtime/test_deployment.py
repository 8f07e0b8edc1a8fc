"""Files that nothing here runs: do they name what exists?"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
# Set by one process for another, never by a person.
INTERNAL = {"VAULT_SOCKET", "PGAPPNAME", "DJANGO_SETTINGS_MODULE", "OMP_WAIT_POLICY"}
READ = re.compile(r"""(?:env\.\w+\(\s*|environ(?:\.get\(|\.setdefault\(|\[))["']([A-Z_]+)""")
COMPOSE = (ROOT / "docker-compose.yml").read_text()
COMPOSED = yaml.safe_load(COMPOSE)
SERVICES: dict[str, dict[str, Any]] = COMPOSED["services"]
# What there is in an image to run; pg_isready and ollama are what their makers' images bring.
PROGRAMS = {
    "pgvector/pgvector": {"pg_isready"},
    "ollama/ollama": {"ollama", "/bin/sh"},
    "vaultsite": {"python"},
}


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


def words(command: str | list[str]) -> list[str]:
    return command.split() if isinstance(command, str) else command


def test_compose_runs_modules_that_exist() -> None:
    modules = set()
    for service in SERVICES.values():
        for command in (service.get("command", []), service.get("healthcheck", {}).get("test", [])):
            said = words(command)
            modules |= {said[n + 2] for n, word in enumerate(said) if said[n + 1 : n + 2] == ["-m"]}
    runtime = {"vaultsite.runtime.worker", "vaultsite.runtime.migrations"}
    assert modules == runtime | {"vaultsite.serve"}
    for module in modules:
        assert (ROOT / module.replace(".", "/")).with_suffix(".py").is_file()


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_runs_and_is_checked_by_programs_of_its_image(name: str) -> None:
    service = SERVICES[name]
    has = PROGRAMS[service["image"].partition(":")[0]]
    assert words(service.get("entrypoint") or service.get("command") or [*has])[0] in has
    if check := service.get("healthcheck"):
        kind, program, *_ = check["test"]
        assert kind == "CMD" and program in has
        assert {"interval", "timeout", "retries"} <= set(check)
    elif "restart" not in service or service["restart"] != "no":
        pytest.fail("a service that goes on running needs a health check")


def test_a_service_waits_for_what_can_be_waited_for() -> None:
    for service in SERVICES.values():
        for other, how in service.get("depends_on", {}).items():
            if how["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[other]
            else:
                assert how["condition"] == "service_completed_successfully"
                assert SERVICES[other]["restart"] == "no"


def test_everything_kept_is_on_a_volume() -> None:
    mounted = {place for s in SERVICES.values() for place in s.get("volumes", [])}
    assert {place.partition(":")[0] for place in mounted} == set(COMPOSED["volumes"])
    inside = {place.partition(":")[2] for place in SERVICES["web"]["volumes"]}
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert inside == set(json.loads(re.findall(r"^VOLUME (.+)$", dockerfile, re.MULTILINE)[0]))
    assert re.search(r"install -d -o vault .*" + " ".join(sorted(inside, reverse=True)), dockerfile)
    assert "VAULT_DATA=/data" in dockerfile
    assert SERVICES["worker"]["environment"]["VAULT_BACKUP_FOLDER"] in inside


def test_compose_sets_only_what_is_read() -> None:
    for name in ("web", "worker", "migrate"):
        assert set(SERVICES[name]["environment"]) <= listed()
        assert SERVICES[name]["cap_drop"] == ["ALL"]


def test_compose_opens_the_web_alone_and_to_this_machine_alone() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["web"]
    assert SERVICES["web"]["ports"] == ["127.0.0.1:${VAULT_PORT:-8000}:8000"]
    assert not any("network_mode" in s or "privileged" in s for s in SERVICES.values())


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
    for given in (secrets, {"SECRET_KEY": "of-the-test"}, {}):
        outcome = subprocess.run(
            [program, "--file", ROOT / "docker-compose.yml", "config"],
            capture_output=True,
            text=True,
            env={"PATH": os.environ["PATH"], "HOME": "/tmp", **given},
            check=False,
        )
        if given != secrets:
            assert outcome.returncode and "in .env" in outcome.stderr
            continue
        assert outcome.returncode == 0, outcome.stderr
        told = outcome.stdout
    for service in ("db", "ollama", "pull", "migrate", "web", "worker"):
        assert f"\n  {service}:\n" in told


def test_compose_refuses_to_start_without_secrets() -> None:
    assert "${POSTGRES_PASSWORD:?" in COMPOSE
    assert "${SECRET_KEY:?" in COMPOSE


def test_the_licence_is_all_there() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert text.startswith("GNU AFFERO GENERAL PUBLIC LICENSE")
    for section in range(18):
        assert re.search(rf"^{section}\. ", text, re.MULTILINE), section
    assert "END OF TERMS AND CONDITIONS" in text
