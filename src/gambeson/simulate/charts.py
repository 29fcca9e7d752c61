"""Pictures of simulations: small SVG, readable in black and white, and one page that holds them all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from msgspec import Struct
from msgspec.structs import replace

from gambeson.language.texts import Texts
from gambeson.simulate.drawing import (
    BOTTOM,
    HEIGHT,
    INK,
    LEFT,
    PALE,
    RIGHT,
    WIDTH,
    Frame,
    above,
    filled,
    signed,
    stroke,
    text,
    whisker,
)
from gambeson.simulate.fights import Simulation
from gambeson.simulate.naming import layer_name, varied, varied_name, varied_value
from gambeson.simulate.results import CERTAIN, CellResult, Outcome, Result

DISTRIBUTION, SURVIVAL, HEAT, DIFFERENCE = "distribution", "survival", "heat", "difference"
SERIES_MOST, BARS_MOST = 6, 4
"""Outcomes in one picture, and in one of bars."""
HEAT_MOST = 40
"""Rows and columns of a heat map."""
SHOWN = 1e-4
"""Chances below this are cut off at the ends of an axis."""


class Line(Struct, frozen=True):
    """One outcome in a picture, and what it is called."""

    name: str
    outcome: Outcome


def series(result: Result, said: Texts) -> list[Line]:
    """The outcomes that fit into one picture: each cell, or the first and last of many; compared ones beside them."""
    cells = list(result.cells)
    if len(cells) > SERIES_MOST:
        step = (len(cells) - 1) / (SERIES_MOST - 1)
        cells = [cells[round(at * step)] for at in range(SERIES_MOST)]
    found = []
    for cell in cells:
        name = _name(cell, said)
        found.append(Line(name or said.say("cli.simulate.chart.base"), cell.outcome))
        if cell.compared is not None:
            other = said.say("cli.simulate.chart.compared")
            found.append(Line(f"{name}, {other}" if name else other, cell.compared))
    return found[:SERIES_MOST]


def _name(cell: CellResult, said: Texts) -> str:
    return ", ".join(varied(name, value, said) for name, value in cell.vary.items())


def picture(simulation: Simulation, result: Result, said: Texts, chart: str) -> str:
    """One picture as an SVG document: `distribution`, `survival`, `heat` or `difference`."""
    match chart:
        case "survival":
            return survival(series(result, said), result, said)
        case "heat":
            return heat(result, said)
        case "difference":
            return difference(result, said)
        case _:
            return distribution(series(result, said)[:BARS_MOST], result, said)


def page(simulation: Simulation, result: Result, said: Texts, lang: str) -> str:
    """All pictures and the numbers as one HTML page that needs nothing else."""
    title = escape(result.title or said.say("cli.simulate.chart.distribution"))
    result = replace(result, title="")  # it stands above all pictures already
    lines = series(result, said)
    shown = [distribution(lines[:BARS_MOST], result, said), survival(lines, result, said)]
    if len(result.cells) > 1:
        shown.append(heat(result, said))
    if any(cell.difference is not None for cell in result.cells):
        shown.append(difference(result, said))
    made = escape(said.say("cli.simulate.chart.made", version=result.version, game=result.game))
    return (
        f'<!doctype html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        + "\n".join(f"<figure>{svg}</figure>" for svg in shown)
        + _winners(result, said)
        + f"\n<h2>{escape(said.say('cli.simulate.chart.table'))}</h2>\n{_numbers(result, said)}\n"
        f"<footer>{made}, <code>{escape(result.ruleset[:23])}</code></footer>\n</body>\n</html>\n"
    )


STYLE = (
    "body{font:16px/1.45 system-ui,sans-serif;color:#1a1a1a;background:#fff;max-width:760px;"
    "margin:1.5rem auto;padding:0 1rem}"
    "h1{font-size:1.4rem}h2{font-size:1.1rem}figure{margin:1.2rem 0}svg{width:100%;height:auto}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}"
    "th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #ccc;white-space:nowrap}"
    "th{white-space:normal;vertical-align:bottom;max-width:7.5rem}"
    "@media print{body{margin:0;max-width:none}figure,tr{break-inside:avoid}.wide{overflow:visible}}"
    "footer{color:#5a5a5a;font-size:.8rem;margin:2rem 0}"
)


def _winners(result: Result, said: Texts) -> str:
    """Who wins how often, where there is one duel."""
    wins = result.cells[0].outcome.wins if len(result.cells) == 1 else None
    if wins is None:
        return ""
    told = ", ".join(f"{said.say(f'cli.simulate.win.{side}')} {chance * 100:.2f}%" for side, chance in wins.items())
    return f"\n<p>{escape(said.say('cli.simulate.wins'))}: {escape(told)}</p>"


def _numbers(result: Result, said: Texts) -> str:
    names = list(result.cells[0].vary) if result.cells else []
    layers = list(dict.fromkeys(layer for cell in result.cells for layer in cell.outcome.absorbed))
    heads = [
        *(varied_name(name, said) for name in names),
        *(said.say(f"cli.simulate.{head}") for head in ("mean", "sd")),
    ]
    heads += [said.say("cli.simulate.quantiles"), said.say("cli.simulate.ended")]
    duel = any(cell.outcome.wins is not None for cell in result.cells)
    heads += [f"{said.say('cli.simulate.wins')}: {said.say('cli.simulate.win.target')}"] if duel else []
    heads += [f"{said.say('cli.simulate.absorbed')}: {layer_name(layer, said)}" for layer in layers]
    rows = []
    for cell in result.cells:
        outcome = cell.outcome
        numbers = ["—" if value is None else f"{value:.4f}" for value in (outcome.mean, outcome.sd)]
        between = " / ".join("—" if q is None else str(q) for q in map(outcome.quantile, (5, 50, 95)))
        row = [varied_value(name, value, said) for name, value in cell.vary.items()]
        row += [*numbers, between, f"{outcome.ended * 100:.2f}%"]
        row += [f"{outcome.wins['target'] * 100:.2f}%"] if outcome.wins is not None else []
        rows.append(row + [f"{outcome.absorbed.get(layer, 0.0):.3f}" for layer in layers])
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "\n".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


# Pictures


def distribution(lines: Sequence[Line], result: Result, said: Texts) -> str:
    """Bars: the chance that it ends with each blow."""
    first, last = _between([line.outcome for line in lines])
    top = max((chance for line in lines for chance in line.outcome.distribution.values()), default=1.0) * 100
    words = said.say
    title = words("cli.simulate.chart.distribution") + _titled(result)
    frame = Frame(
        title,
        (first - 0.6, last + 0.6),
        (0, above(top)),
        words("cli.simulate.chart.blows"),
        words("cli.simulate.chart.chance"),
    )
    frame.named([line.name for line in lines], bars=True)
    frame.axes(_whole(first, last))
    group = (frame.x(1) - frame.x(0)) * 0.84
    width = group / max(1, len(lines))
    for at, line in enumerate(lines):
        for blow, chance in line.outcome.distribution.items():
            if first <= blow <= last:
                x, y = frame.x(blow) - group / 2 + at * width, frame.y(chance * 100)
                tall = max(0.0, frame.y(0) - y)
                frame.parts.append(
                    f'<rect x="{x:.2f}" y="{y:.2f}" width="{max(0.6, width * 0.94):.2f}" '
                    f'height="{tall:.2f}" {filled(at)}>'
                    f"<title>{escape(line.name)}: {blow}: {chance * 100:.3f}%</title></rect>"
                )
                if len(lines) == 1 and chance * 100 > top / 50 and last - first < 24:
                    frame.parts.append(text(x + width / 2, y - 4, f"{chance * 100:.1f}", "middle", PALE))
    return frame.svg()


def survival(lines: Sequence[Line], result: Result, said: Texts) -> str:
    """Steps: the chance that the end has not come after each blow."""
    _, last = _between([line.outcome for line in lines])
    words = said.say
    title = words("cli.simulate.chart.survival") + _titled(result)
    frame = Frame(title, (0, last), (0, 100), words("cli.simulate.chart.blows"), words("cli.simulate.chart.surviving"))
    frame.named([line.name for line in lines], bars=False)
    frame.axes(_whole(0, last))
    for at, line in enumerate(lines):
        path = f"M{frame.x(0):.1f} {frame.y(100):.1f}"
        for blow, chance in line.outcome.survival()[1:]:
            if blow <= last:
                path += f"H{frame.x(blow):.1f}V{frame.y(chance * 100):.1f}"
        frame.parts.append(
            f'<path d="{path}H{frame.x(last):.1f}" {stroke(at)}><title>{escape(line.name)}</title></path>'
        )
    return frame.svg()


def means(result: Result, said: Texts) -> str:
    """Bars: the mean for each value of the one thing that is varied, with its interval."""
    (name,) = result.cells[0].vary
    cells = [cell for cell in result.cells if cell.outcome.mean is not None][:HEAT_MOST]
    top = max((cell.outcome.mean or 0.0 for cell in cells), default=1.0)
    title = said.say("cli.simulate.chart.heat") + _titled(result)
    blows = said.say("cli.simulate.chart.blows")
    frame = Frame(title, (0, max(1, len(cells))), (0, above(top)), varied_name(name, said), blows)
    frame.axes(())
    for at, cell in enumerate(cells):
        mean, spread = cell.outcome.mean or 0.0, (cell.outcome.standard_error or 0.0) * CERTAIN
        x, wide = frame.x(at + 0.5), min(70.0, (frame.x(1) - frame.x(0)) * 0.6)
        frame.parts.append(
            f'<rect x="{x - wide / 2:.1f}" y="{frame.y(mean):.1f}" width="{wide:.1f}" '
            f'height="{frame.y(0) - frame.y(mean):.1f}" {filled(0)}><title>{mean:.4f} ± {spread:.4f}</title></rect>'
        )
        if frame.y(mean - spread) - frame.y(mean + spread) > 3:
            frame.parts.append(whisker(x, frame.y(mean - spread), frame.y(mean + spread)))
        if len(cells) <= 16:
            frame.parts.append(text(x, frame.y(mean + spread) - 6, f"{mean:.2f}", "middle"))
        frame.parts.append(text(x, HEIGHT - BOTTOM + 18, varied_value(name, cell.vary[name], said), "middle"))
    return frame.svg()


def heat(result: Result, said: Texts) -> str:
    """The mean for each cell of the first two things varied (of others the first value): darker is more."""
    names = list(result.cells[0].vary)[:2] if result.cells else []
    if len(names) == 1:
        return means(result, said)
    title = said.say("cli.simulate.chart.heat") + _titled(result)
    if not names:
        return Frame(title, (0, 1), (0, 1), "", "").svg()
    columns = _values(result, names[0])[:HEAT_MOST]
    rows = _values(result, names[1])[:HEAT_MOST] if len(names) > 1 else [None]
    shown: dict[tuple[object, object], float] = {}
    for cell in result.cells:
        key = (cell.vary[names[0]], cell.vary[names[1]] if len(names) > 1 else None)
        if cell.outcome.mean is not None:
            shown.setdefault(key, cell.outcome.mean)
    low, high = min(shown.values(), default=0.0), max(shown.values(), default=1.0)
    across = varied_name(names[0], said)
    up = varied_name(names[1], said) if len(names) > 1 else ""
    frame = Frame(title, (0, len(columns)), (0, len(rows)), across, up)
    for at, column in enumerate(columns):
        frame.parts.append(
            text(frame.x(at + 0.5), HEIGHT - BOTTOM + 18, varied_value(names[0], column, said), "middle")
        )
        for row_at, row in enumerate(rows):
            mean = shown.get((column, row))
            if mean is None:
                continue
            shade = (mean - low) / ((high - low) or 1)
            x, y = frame.x(at), frame.y(row_at + 1)
            wide, tall = frame.x(at + 1) - x, frame.y(row_at) - y
            grey = round(244 - 190 * shade)
            colour = f"rgb({round(grey * 0.82)},{round(grey * 0.92)},{grey})"
            frame.parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide - 1:.1f}" height="{tall - 1:.1f}" fill="{colour}">'
                f"<title>{mean:.4f}</title></rect>"
            )
            if wide > 34 and tall > 16:
                ink = "#fff" if shade > 0.55 else INK
                frame.parts.append(text(x + wide / 2, y + tall / 2 + 4, f"{mean:.2f}", "middle", ink))
    for row_at, row in enumerate(rows):
        if row is not None:
            frame.parts.append(text(LEFT - 8, frame.y(row_at + 0.5) + 4, varied_value(names[1], row, said), "end"))
    frame.parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, across, "middle", PALE))
    frame.parts.append(text(16, HEIGHT / 2, up, "middle", PALE, f'transform="rotate(-90 16 {HEIGHT / 2:.0f})"'))
    return frame.svg()


def difference(result: Result, said: Texts) -> str:
    """The difference of the means in each cell, with its interval."""
    cells = [cell for cell in result.cells if cell.difference is not None]
    title = said.say("cli.simulate.chart.difference") + _titled(result)
    ends = [0.0]
    for cell in cells:
        assert cell.difference is not None
        spread = cell.difference.standard_error * CERTAIN
        ends += [cell.difference.mean - spread, cell.difference.mean + spread]
    low, high = min(ends), max(ends)
    room = ((high - low) or 1.0) * 0.1
    across = ", ".join(varied_name(name, said) for name in (cells[0].vary if cells else ()))
    frame = Frame(
        title, (0, max(1, len(cells))), (low - room, high + room), across, said.say("cli.simulate.chart.blows")
    )
    frame.axes(())
    frame.parts.append(f'<path d="M{LEFT} {frame.y(0):.1f}H{WIDTH - RIGHT}" stroke="{INK}" stroke-dasharray="4 3"/>')
    for at, cell in enumerate(cells):
        assert cell.difference is not None
        x, mean = frame.x(at + 0.5), cell.difference.mean
        spread = cell.difference.standard_error * CERTAIN
        wide = min(60.0, (frame.x(1) - frame.x(0)) * 0.6)
        low_y, high_y = sorted((frame.y(0), frame.y(mean)))
        frame.parts.append(
            f'<rect x="{x - wide / 2:.1f}" y="{low_y:.1f}" width="{wide:.1f}" height="{max(0.5, high_y - low_y):.1f}" '
            f"{filled(0)}><title>{mean:+.4f} ± {spread:.4f}</title></rect>"
        )
        if frame.y(mean - spread) - frame.y(mean + spread) > 3:
            frame.parts.append(whisker(x, frame.y(mean - spread), frame.y(mean + spread)))
        if len(cells) <= 12:
            beyond = frame.y(mean + spread) - 6 if mean >= 0 else frame.y(mean - spread) + 16
            frame.parts.append(text(x, beyond, signed(f"{mean:+.3f}"), "middle"))
            label = ", ".join(varied_value(name, value, said) for name, value in cell.vary.items())
            frame.parts.append(text(x, HEIGHT - BOTTOM + 18, label, "middle"))
    return frame.svg()


def _titled(result: Result) -> str:
    return f" — {result.title}" if result.title and len(result.title) <= 48 else ""


def _values(result: Result, name: str) -> list[object]:
    return list(dict.fromkeys(cell.vary[name] for cell in result.cells))


def _between(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """The blows between which nearly all of every outcome lies."""
    shown = [blow for outcome in outcomes for blow, chance in outcome.distribution.items() if chance >= SHOWN]
    return (min(shown), max(shown)) if shown else (0, 1)


def _whole(first: float, last: float) -> list[float]:
    step = max(1, math.ceil((last - first) / 16))
    nice = next(n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000) if n >= step)
    begin = math.ceil(first / nice) * nice
    return [float(value) for value in range(begin, math.floor(last) + 1, nice)]
