"""Audits: findings, summaries and reports as those of the command."""

import gc
import io
import json
import pathlib
import subprocess
from typing import Any, get_args, get_type_hints

import pytest

import absolve

FORMATS = [
    "text",
    "concise",
    "jsonl",
    "json",
    "sarif",
    "junit",
    "github",
    "gitlab",
    "markdown",
    "html",
]


@pytest.fixture
def site(tmp_path: pathlib.Path) -> pathlib.Path:
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<a href=Page.html>\n<a href=page.html#x>\n<a href=none>")
    (site / "page.html").write_text("<p id=a><a href=http://elsewhere.example/>")
    return site


def audited(command: str, site: pathlib.Path, *options: str) -> str:
    """The report of the command."""
    run = [command, "audit", "--no-config", *options, str(site)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def fields(finding: absolve.Finding) -> dict[str, Any]:
    """A finding as the JSON report has it."""
    names = [name for name in dir(finding) if not name.startswith("_")]
    found = {name: getattr(finding, name) for name in names}
    if found["source"] is None:
        del found["source"]
    if found["span"]:
        found["span"] = list(found["span"])
    if fix := found["fix"]:
        found["fix"] = {
            "span": list(fix.span),
            "replacement": fix.replacement,
            "safety": fix.safety,
        }
    return found


def summary(report: absolve.AuditReport) -> dict[str, Any]:
    names = [name for name in dir(report.summary) if not name.startswith("_")]
    return {name: getattr(report.summary, name) for name in names}


def test_findings_are_those_of_the_json_report(command: str, site: pathlib.Path) -> None:
    report = absolve.audit(site, "http://h/docs/")
    expected = json.loads(audited(command, site, "--base-url=http://h/docs/", "--format=json"))
    assert [fields(finding) for finding in report.findings] == expected["findings"]
    assert summary(report) == expected["summary"]
    assert report.fails
    assert report.summary.errors > 0
    first = report.findings[0]
    assert (first.rule, first.line, first.column) == ("broken-link", 1, 9)
    assert str(first).startswith(f"{site}/index.html:1:9: error [broken-link]: ")
    assert first in {*report.findings}
    with pytest.raises(AttributeError):
        first.rule = "other"  # type: ignore[misc]


@pytest.mark.parametrize("name", FORMATS)
def test_reports_are_those_of_the_command(
    command: str,
    site: pathlib.Path,
    name: Any,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The head of the page has the date of the run.
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    report = absolve.audit(site, "http://h/docs/")
    file = tmp_path / "report"
    report.write(name, file)
    written = file.read_text("utf-8")
    binary, text = io.BytesIO(), io.StringIO()
    report.write(name, binary)
    report.write(name, text)
    assert binary.getvalue().decode() == text.getvalue() == written
    assert written == audited(command, site, "--base-url=http://h/docs/", f"--format={name}")


def test_formats_are_those_of_the_stubs() -> None:
    with pytest.raises(absolve.Error, match="expected text, concise, jsonl, json") as raised:
        absolve.audit(pathlib.Path(__file__).parent, allow_empty=True).write("x", "")  # type: ignore[arg-type]
    assert str(raised.value).split("expected ")[1].split(", ") == FORMATS


def test_options_are_those_of_the_command(site: pathlib.Path) -> None:
    rules = {"all": "off", "broken-link": "warn"}
    report = absolve.audit(site, rule=rules)
    assert {finding.rule for finding in report.findings} == {"broken-link"}
    assert not report.fails
    assert absolve.audit(site, rule=rules, fail_on="warn").fails
    assert absolve.audit(site, rule=["all=off", "broken-link=warn"]).findings == report.findings
    of_page = absolve.audit(site, report_only=site / "page.html")
    assert {finding.file for finding in of_page.findings} <= {str(site / "page.html")}
    assert absolve.audit(site, ignore_link=["none"]).summary.ignored == 1
    assert absolve.audit(site, rule=rules, accept="case").summary.warnings == 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"rule": {"broken-links": "off"}}, absolve.Error, "did you mean broken-link?"),
        ({"rule": {"broken-link": "of"}}, absolve.Error, "no such level, expected off"),
        ({"server": "nginy"}, absolve.Error, "for 'server', expected plain"),
        ({"max_findings": "1"}, TypeError, "'max_findings' must be an int, not str"),
        ({"sever": "plain"}, TypeError, "Did you mean 'server'?"),
        ({"fix": True}, TypeError, "audit() got an unexpected keyword argument 'fix'"),
        ({"report_only": "none.html"}, absolve.Error, "report_only takes files of the site"),
        ({"baseline": "none.jsonl"}, absolve.Error, "none.jsonl: cannot read"),
        ({"external_status": "none.tsv"}, absolve.Error, "none.tsv: cannot read"),
        ({"base_url": "h"}, absolve.BaseUrlError, "h"),
        ({"base_url": "http://h/x.html"}, absolve.Error, "did you mean 'http://h/'?"),
    ],
)
def test_wrong_options(
    site: pathlib.Path, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        absolve.audit(site, **options)
    assert message in str(raised.value)
    assert type(raised.value) is error


def test_sites_that_are_not_there(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        absolve.audit(tmp_path / "none")
    with pytest.raises(absolve.Error, match="there is no page in it; .*allow_empty=True"):
        absolve.audit(tmp_path)
    assert absolve.audit(tmp_path, allow_empty=True).findings == ()


def test_known_findings_are_not_reported(
    command: str, site: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    report = absolve.audit(site)
    baseline = tmp_path / "baseline.jsonl"
    report.write_baseline(baseline)
    later = absolve.audit(site, baseline=baseline)
    assert later.findings == ()
    assert later.summary.known == len(report.findings)
    by_command = tmp_path / "command.jsonl"
    audited(command, site, f"--baseline={by_command}", "--write-baseline")
    assert by_command.read_bytes() == baseline.read_bytes()


def test_progress_is_reported_and_stops(site: pathlib.Path) -> None:
    calls: list[tuple[int, int]] = []
    absolve.audit(site, progress=lambda *counts: calls.append(counts))
    assert calls[-1] == (2, 2)
    with pytest.raises(ZeroDivisionError):
        absolve.audit(site, progress=lambda done, total: 1 / 0)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("page.eml", "absolve links {path}"),
        ("pages.warc.gz", "absolve extract {path} -o DIR --to relative"),
        ("pages.wacz", "absolve extract {path} -o DIR --to relative"),
    ],
)
def test_messages_and_archives_are_refused(name: str, command: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"")
    with pytest.raises(absolve.Error) as raised:
        absolve.audit(path)
    assert command.format(path=path) in str(raised.value)


def test_a_report_outlives_its_site(site: pathlib.Path) -> None:
    report = absolve.audit(site)
    for path in site.iterdir():
        path.unlink()
    gc.collect()
    out = io.StringIO()
    report.write("text", out)
    assert "none" in out.getvalue()


def test_levels_are_those_of_the_stubs() -> None:
    hints = get_type_hints(absolve.AuditOptions)
    names = [name for one in get_args(hints["fail_on"]) for name in get_args(one)]
    for name in names:
        absolve.audit(pathlib.Path(__file__).parent, allow_empty=True, fail_on=name)
    servers = [name for one in get_args(hints["server"]) for name in get_args(one)]
    for name in servers:
        absolve.audit(pathlib.Path(__file__).parent, allow_empty=True, server=name)
