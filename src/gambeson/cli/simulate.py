"""simulate: a fight played many times, or worked out exactly."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from gambeson.cli.entry import DONE, FAILED, INTERRUPTED, UNUSABLE
from gambeson.cli.output import BOLD, DIM, GREEN, YELLOW, Output, diagnose, diagnose_faults, print_json
from gambeson.games import texts
from gambeson.games.documents import read_file
from gambeson.language.texts import Texts
from gambeson.model.errors import Unusable
from gambeson.model.messages import message
from gambeson.simulate.fights import Simulation
from gambeson.simulate.files import SEED_MOST, TRIALS_MOST, read_simulation
from gambeson.simulate.naming import layer_name, varied, varied_name, varied_value
from gambeson.simulate.playing import Engine, Progress, planned, simulate
from gambeson.simulate.program import Unlowered
from gambeson.simulate.results import CERTAIN, CellResult, Outcome, Result

ENDINGS = (".json", ".csv", ".parquet", ".svg", ".html")
LIMITED = ("numba", "llvmlite", "numpy")
BAR = "█▉▊▋▌▍▎▏"
SMALLEST = 0.0005
"""Chances below this have no line of their own."""


class Asked(Struct, frozen=True):
    """What the command line asks for."""

    file: str
    exact: bool = False
    trials: int | None = None
    seed: int | None = None
    as_json: bool = False
    output: str = ""
    engine: Engine = "local"
    threads: int = 0
    show_kernel: bool = False
    chart: str = ""


def run(asked: Asked, *, lang: str) -> int:
    """Play the file, print what came of it; gives the exit status."""
    out = Output(lang)
    if asked.output and Path(asked.output).suffix not in ENDINGS:
        diagnose(out.said.say("cli.simulate.ending", file=asked.output))
        return UNUSABLE
    for option, given, most in (("--seed", asked.seed, SEED_MOST), ("--trials", asked.trials, TRIALS_MOST)):
        if given is not None and not 0 <= given <= most:
            allowed = out.said.say(message("fault.field.number", least=0, most=most, got=str(given)))
            diagnose(f"{option}: {allowed}")
            return UNUSABLE
    try:
        simulation = read_simulation(read_file(asked.file))
    except Unusable as unusable:
        diagnose_faults(unusable.faults, out.said)
        return UNUSABLE
    trials = None if asked.exact else asked.trials if asked.trials is not None else simulation.trials
    simulation = replace(simulation, trials=trials, seed=simulation.seed if asked.seed is None else asked.seed)
    said = texts(simulation.pack.folder, lang)
    if trials is None and asked.engine == "referee":
        diagnose(said.say("cli.simulate.exact_referee"))
        return UNUSABLE
    try:
        if asked.show_kernel:
            for kernel in planned(simulation).kernels.values():
                print(kernel.text)
            return DONE
        with _progress(out) as progress:
            result = simulate(simulation, engine=asked.engine, threads=asked.threads, progress=progress)
    except Exception as fault:
        told = _why_not(fault, said, exact=trials is None)
        if told is None:
            raise
        diagnose(told)
        return FAILED
    return _told(asked, simulation, result, out, said)


def _why_not(fault: Exception, said: Texts, *, exact: bool) -> str | None:
    """What keeps a simulation from being played, in words; None for a fault of the program."""
    match fault:
        case Unlowered():
            id = "cli.simulate.unlowered_exact" if exact else "cli.simulate.unlowered"
            return said.say(id, stage=fault.stage, kind=fault.kind, why=fault.why)
        case ModuleNotFoundError() if (fault.name or "").partition(".")[0] in LIMITED:
            id = "cli.simulate.no_exact" if exact else "cli.simulate.no_numba"
            return said.say(id, name=(fault.name or "").partition(".")[0])
        case _:
            pass
    if type(fault).__name__ == "TooFarAhead":
        return said.say("cli.simulate.too_far", states=getattr(fault, "states", 0))
    if type(fault).__name__ == "Entangled":
        return said.say("cli.simulate.entangled")
    question = getattr(fault, "question", None)
    if question is not None:
        options = " | ".join(option.id for option in question.options)
        key = "keep_or_take" if question.key.startswith("keep:") else question.key.partition(":")[0]
        return said.say("cli.simulate.no_policy", question=said.say(question.text), key=key, options=options)
    if type(fault).__name__ == "TooManyStates":
        states, outcomes = getattr(fault, "states", 0), getattr(fault, "outcomes", 0)
        return said.say("cli.simulate.too_many", states=states, outcomes=outcomes)
    return None


def _told(asked: Asked, simulation: Simulation, result: Result, out: Output, said: Texts) -> int:
    status = INTERRUPTED if result.partial else DONE
    if asked.output:
        written = _write(asked, simulation, result, out, said)
        if written != DONE:
            return written
    if asked.as_json:
        print_json(result.as_json())
        return status
    _table(simulation, result, out, said)
    if asked.output:
        print(said.say("cli.simulate.written", file=asked.output))
    return status


def _write(asked: Asked, simulation: Simulation, result: Result, out: Output, said: Texts) -> int:
    try:
        content = _content(asked, simulation, result, out, said)
    except ModuleNotFoundError as absent:
        diagnose(said.say("cli.simulate.no_parquet", name=absent.name or ""))
        return UNUSABLE
    try:
        Path(asked.output).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    except OSError as error:
        diagnose(said.say("cli.simulate.unwritable", file=asked.output, reason=error.strerror or "?"))
        return UNUSABLE
    return DONE


def _content(asked: Asked, simulation: Simulation, result: Result, out: Output, said: Texts) -> str | bytes:
    """The result as its file holds it. Raises ModuleNotFoundError where a library for the format is absent."""
    import json

    match Path(asked.output).suffix:
        case ".json":
            return json.dumps(result.as_json(), ensure_ascii=False, indent=2) + "\n"
        case ".csv":
            return result.as_csv()
        case ".parquet":
            return result.as_parquet()
        case ".html":
            from gambeson.simulate.charts import page

            return page(simulation, result, said, out.lang)
        case _:
            from gambeson.simulate.charts import picture

            return picture(simulation, result, said, asked.chart)


@contextmanager
def _progress(out: Output) -> Iterator[Progress | None]:
    """A bar on a terminal, nothing in a pipe."""
    if not (out.terminal and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%  {task.fields[rate]}/s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(out.said.say("cli.simulate.progress"), total=None, rate="")

        def shown(done: int, of: int) -> None:
            speed = bar.tasks[0].finished_speed or bar.tasks[0].speed
            bar.update(task, completed=done, total=of, rate=short(speed or 0))

        yield shown


# For people


def _table(simulation: Simulation, result: Result, out: Output, said: Texts) -> None:
    if result.title:
        out.print(result.title, BOLD)
    if result.trials is None:
        states = sum(cell.outcome.states for cell in result.cells)
        out.print(said.say("cli.simulate.heading_exact", states=states), DIM)
    else:
        played = sum(cell.outcome.trials + (cell.compared.trials if cell.compared else 0) for cell in result.cells)
        rate = short(played / result.seconds if result.seconds else 0)
        out.print(
            said.say(
                "cli.simulate.heading", trials=result.trials, seed=simulation.seed, engine=result.engine, rate=rate
            ),
            DIM,
        )
    if result.partial:
        out.print(said.say("cli.simulate.partial", trials=result.trials or 0), YELLOW)
    out.print()
    title = until_said(simulation, said)
    if len(result.cells) == 1:
        _one(result.cells[0], title, out, said)
    elif result.cells:
        _many(result, title, out, said)


def until_said(simulation: Simulation, said: Texts) -> str:
    """What is counted, in words."""
    until = simulation.cells[0].fight.until
    return said.say(f"cli.simulate.until.{until.kind}", name=until.name, hits=until.hits)


def _one(cell: CellResult, title: str, out: Output, said: Texts) -> None:
    outcome = cell.outcome
    where = ", ".join(varied(name, value, said) for name, value in cell.vary.items())
    out.print(f"{title} ({where})" if where else title, BOLD)
    left = 1.0
    widest = max(outcome.distribution.values(), default=1.0)
    room = max(10, out.width - 34)
    out.print(f"{said.say('cli.simulate.blow'):>8}  {said.say('cli.simulate.chance'):>11}  ", DIM)
    for blow, chance in outcome.distribution.items():
        left -= chance
        if chance >= SMALLEST:
            bar = _bar(chance / widest, room)
            print(f"{blow:>8}  {chance * 100:>10.2f}%  {out.painted(bar, GREEN)}")
    out.print()
    for line in _lines(cell, said):
        out.print(line)


def _lines(cell: CellResult, said: Texts) -> list[str]:
    outcome = cell.outcome
    lines = [f"{said.say('cli.simulate.mean')}: {_mean(outcome)}"]
    if outcome.sd is not None:
        lines.append(f"{said.say('cli.simulate.sd')}: {outcome.sd:.3f}   {_quantiles(outcome, said)}")
    if outcome.ended < 1 - 1e-9:
        lines.append(said.say("cli.simulate.not_ended", percent=f"{(1 - outcome.ended) * 100:.2f}"))
    absorbed = ", ".join(f"{layer_name(layer, said)} {points:.3f}" for layer, points in outcome.absorbed.items())
    lines.append(f"{said.say('cli.simulate.absorbed')}: {absorbed}")
    if outcome.wins is not None:
        won = ", ".join(
            f"{said.say(f'cli.simulate.win.{side}')} {chance * 100:.2f}%" for side, chance in outcome.wins.items()
        )
        lines.append(f"{said.say('cli.simulate.wins')}: {won}")
    if cell.compared is not None and cell.difference is not None:
        lines.append(
            said.say(
                "cli.simulate.compared",
                mean=_mean(cell.compared),
                difference=f"{cell.difference.mean:+.4f}",
                error=f"{cell.difference.standard_error * CERTAIN:.4f}",
            )
        )
    return lines


def _many(result: Result, title: str, out: Output, said: Texts) -> None:
    names = list(result.cells[0].vary)
    layers = list(dict.fromkeys(layer for cell in result.cells for layer in cell.outcome.absorbed))
    heads = [
        *(varied_name(name, said) for name in names),
        said.say("cli.simulate.mean"),
        said.say("cli.simulate.interval") if result.trials is not None else said.say("cli.simulate.sd"),
        said.say("cli.simulate.quantiles"),
    ]
    compared = any(cell.difference is not None for cell in result.cells)
    ended = any(cell.outcome.ended < 1 - 1e-9 for cell in result.cells)
    duel = result.cells[0].outcome.wins is not None
    heads += [said.say("cli.simulate.ended")] if ended else []
    heads += [said.say("cli.simulate.difference")] if compared else []
    heads += [said.say("cli.simulate.win.target")] if duel else []
    heads += [layer_name(layer, said) for layer in layers]
    most = max((cell.outcome.mean or 0.0 for cell in result.cells), default=0.0) or 1.0
    rows = []
    for cell in result.cells:
        outcome = cell.outcome
        row = [varied_value(name, value, said) for name, value in cell.vary.items()]
        row.append("—" if outcome.mean is None else f"{outcome.mean:.3f}")
        spread = outcome.sd if result.trials is None else (outcome.standard_error or 0) * CERTAIN
        row.append("—" if spread is None else f"{'±' if result.trials is not None else ''}{spread:.4f}")
        row.append(" / ".join("—" if q is None else str(q) for q in map(outcome.quantile, (5, 50, 95))))
        row += [f"{outcome.ended * 100:.2f}%"] if ended else []
        row += [f"{cell.difference.mean:+.4f}" if cell.difference is not None else "—"] if compared else []
        row += [f"{outcome.wins['target'] * 100:.2f}%" if outcome.wins is not None else "—"] if duel else []
        row += [f"{outcome.absorbed.get(layer, 0.0):.3f}" for layer in layers]
        rows.append((row, (outcome.mean or 0.0) / most))
    out.print(title, BOLD)
    widths = [max(len(head), *(len(row[at]) for row, _ in rows)) for at, head in enumerate(heads)]
    out.print("  ".join(f"{head:>{width}}" for head, width in zip(heads, widths, strict=True)), DIM)
    room = max(0, min(30, out.width - sum(widths) - 2 * len(widths)))
    for row, share in rows:
        line = "  ".join(f"{text:>{width}}" for text, width in zip(row, widths, strict=True))
        print(f"{line}  {out.painted(_bar(share, room), GREEN)}" if room > 5 else line)


def _mean(outcome: Outcome) -> str:
    if outcome.mean is None:
        return "—"
    error = outcome.standard_error or 0.0
    return f"{outcome.mean:.4f} ± {error * CERTAIN:.4f}" if outcome.trials else f"{outcome.mean:.6f}"


def _quantiles(outcome: Outcome, said: Texts) -> str:
    found = " / ".join("—" if q is None else str(q) for q in map(outcome.quantile, (5, 50, 95)))
    return f"{said.say('cli.simulate.quantiles')}: {found}"


def _bar(share: float, room: int) -> str:
    """A bar of this share of the room, in eighths of a letter."""
    eighths = round(max(0.0, min(1.0, share)) * room * 8)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (BAR[8 - rest] if rest else "")


def short(number: float) -> str:
    """A large number in short: 34.2M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.1f}{letter}"
    return f"{number:.0f}"
