"""Pictures of simulations: small SVG, readable in black and white, and one page that holds them all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from msgspec import Struct
from msgspec.structs import replace

from gambeson.language.texts import Texts
from gambeson.simulate.fights import Simulation
from gambeson.simulate.results import CERTAIN, CellResult, Outcome, Result

DISTRIBUTION, SURVIVAL, HEAT, DIFFERENCE = "distribution", "survival", "heat", "difference"
WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 20, 46, 52
SERIES_MOST, BARS_MOST = 6, 4
"""Outcomes in one picture, and in one of bars."""
HEAT_MOST = 40
"""Rows and columns of a heat map."""
SHOWN = 1e-4
"""Chances below this are cut off at the ends of an axis."""
INK, GRID, PALE = "#1a1a1a", "#d8d8d8", "#5a5a5a"
COLOURS = ("#1b4f8a", "#c4571b", "#2f7d4f", "#7a3b8f", "#8a6d00", "#444444")
DASHES = ("", "7 4", "2 3", "10 3 2 3", "14 4", "4 2 1 2")
FILLS = ("solid", "hatch", "dots", "cross", "back", "rows")


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
    return ", ".join(f"{_term(name, said)} {value}" for name, value in cell.vary.items())


def _term(name: str, said: Texts) -> str:
    return name if "." in name else said.term(name)


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
        + f"\n<h2>{escape(said.say('cli.simulate.chart.table'))}</h2>\n{_numbers(result, said)}\n"
        f"<footer>{made}, <code>{escape(result.ruleset[:23])}</code></footer>\n</body>\n</html>\n"
    )


STYLE = (
    "body{font:16px/1.45 system-ui,sans-serif;color:#1a1a1a;background:#fff;max-width:760px;"
    "margin:1.5rem auto;padding:0 1rem}"
    "h1{font-size:1.4rem}h2{font-size:1.1rem}figure{margin:1.2rem 0}svg{width:100%;height:auto}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}"
    "th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #ccc;white-space:nowrap}"
    "footer{color:#5a5a5a;font-size:.8rem;margin:2rem 0}"
)


def _numbers(result: Result, said: Texts) -> str:
    names = list(result.cells[0].vary) if result.cells else []
    layers = list(dict.fromkeys(layer for cell in result.cells for layer in cell.outcome.absorbed))
    heads = [*(_term(name, said) for name in names), *(said.say(f"cli.simulate.{head}") for head in ("mean", "sd"))]
    heads += [said.say("cli.simulate.quantiles"), said.say("cli.simulate.ended")]
    heads += [f"{said.say('cli.simulate.absorbed')}: {_layer(layer, said)}" for layer in layers]
    rows = []
    for cell in result.cells:
        outcome = cell.outcome
        numbers = ["—" if value is None else f"{value:.4f}" for value in (outcome.mean, outcome.sd)]
        between = " / ".join("—" if q is None else str(q) for q in map(outcome.quantile, (5, 50, 95)))
        row = [*map(str, cell.vary.values()), *numbers, between, f"{outcome.ended * 100:.2f}%"]
        rows.append(row + [f"{outcome.absorbed.get(layer, 0.0):.3f}" for layer in layers])
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "\n".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _layer(name: str, said: Texts) -> str:
    side, dot, layer = name.partition(".")
    return f"{said.say(f'cli.simulate.win.{side}')}, {said.term(layer)}" if dot else said.term(name)


# Pictures


class _Frame:
    """An SVG with a title, a legend, and axes from (x0, y0) to (x1, y1)."""

    def __init__(self, title: str, x: tuple[float, float], y: tuple[float, float], across: str, up: str) -> None:
        self.title, self.across, self.up = title, across, up
        self.x0, self.x1 = x
        self.y0, self.y1 = y
        self.parts: list[str] = []
        self.legend: list[str] = []
        self.top = TOP

    def x(self, value: float) -> float:
        return LEFT + (value - self.x0) / ((self.x1 - self.x0) or 1) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - (value - self.y0) / ((self.y1 - self.y0) or 1) * (HEIGHT - BOTTOM - self.top)

    def axes(self, whole: Sequence[float]) -> None:
        """Lines and numbers of both axes; `whole` are the numbers along the lower one."""
        for value in ticks(self.y0, self.y1):
            at = self.y(value)
            self.parts.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="{GRID}"/>')
            self.parts.append(_text(LEFT - 8, at + 4, _short(value), "end"))
        for value in whole:
            self.parts.append(_text(self.x(value), HEIGHT - BOTTOM + 18, _short(value), "middle"))
        self.parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, self.across, "middle", PALE))
        up = f'transform="rotate(-90 16 {HEIGHT / 2:.0f})"'
        self.parts.append(_text(16, HEIGHT / 2, self.up, "middle", PALE, up))

    def svg(self) -> str:
        base = f'<path d="M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}" stroke="{INK}"/>'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
            f'font-size="13" fill="{INK}" role="img"><title>{escape(self.title)}</title>{PATTERNS}'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
            f'<text x="{LEFT}" y="22" font-size="16" font-weight="bold">{escape(self.title)}</text>'
            + "".join((*self.legend, *self.parts, base))
            + "</svg>"
        )

    def named(self, names: Sequence[str], filled: bool) -> None:
        """The legend, in rows below the title; what is drawn stays below it."""
        if len(names) < 2:
            return
        x, y = float(LEFT), 44.0
        for at, name in enumerate(names):
            width = 44 + 8 * len(name)
            if x + width > WIDTH - RIGHT and x > LEFT:
                x, y = float(LEFT), y + 18
            if filled:
                mark = f'<rect x="{x:.0f}" y="{y - 10:.0f}" width="18" height="11" {_filled(at)}/>'
            else:
                mark = f'<path d="M{x:.0f} {y - 4:.0f}h24" {_stroke(at)}/>'
            self.legend += [mark, _text(x + 29, y, name, "start")]
            x += width
        self.top = int(y) + 16


def distribution(lines: Sequence[Line], result: Result, said: Texts) -> str:
    """Bars: the chance that it ends with each blow."""
    first, last = _between([line.outcome for line in lines])
    top = max((chance for line in lines for chance in line.outcome.distribution.values()), default=1.0) * 100
    words = said.say
    title = words("cli.simulate.chart.distribution") + _titled(result)
    frame = _Frame(
        title,
        (first - 0.6, last + 0.6),
        (0, _above(top)),
        words("cli.simulate.chart.blows"),
        words("cli.simulate.chart.chance"),
    )
    frame.named([line.name for line in lines], filled=True)
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
                    f'height="{tall:.2f}" {_filled(at)}>'
                    f"<title>{escape(line.name)}: {blow}: {chance * 100:.3f}%</title></rect>"
                )
                if len(lines) == 1 and chance * 100 > top / 50 and last - first < 24:
                    frame.parts.append(_text(x + width / 2, y - 4, f"{chance * 100:.1f}", "middle", PALE))
    return frame.svg()


def survival(lines: Sequence[Line], result: Result, said: Texts) -> str:
    """Steps: the chance that the end has not come after each blow."""
    _, last = _between([line.outcome for line in lines])
    words = said.say
    title = words("cli.simulate.chart.survival") + _titled(result)
    frame = _Frame(title, (0, last), (0, 100), words("cli.simulate.chart.blows"), words("cli.simulate.chart.surviving"))
    frame.named([line.name for line in lines], filled=False)
    frame.axes(_whole(0, last))
    for at, line in enumerate(lines):
        path = f"M{frame.x(0):.1f} {frame.y(100):.1f}"
        for blow, chance in line.outcome.survival()[1:]:
            if blow <= last:
                path += f"H{frame.x(blow):.1f}V{frame.y(chance * 100):.1f}"
        frame.parts.append(
            f'<path d="{path}H{frame.x(last):.1f}" {_stroke(at)}><title>{escape(line.name)}</title></path>'
        )
    return frame.svg()


def heat(result: Result, said: Texts) -> str:
    """The mean for each cell of the first two things varied (of others the first value): darker is more."""
    names = list(result.cells[0].vary)[:2] if result.cells else []
    title = said.say("cli.simulate.chart.heat") + _titled(result)
    if not names:
        return _Frame(title, (0, 1), (0, 1), "", "").svg()
    columns = _values(result, names[0])[:HEAT_MOST]
    rows = _values(result, names[1])[:HEAT_MOST] if len(names) > 1 else [None]
    means: dict[tuple[object, object], float] = {}
    for cell in result.cells:
        key = (cell.vary[names[0]], cell.vary[names[1]] if len(names) > 1 else None)
        if cell.outcome.mean is not None:
            means.setdefault(key, cell.outcome.mean)
    low, high = min(means.values(), default=0.0), max(means.values(), default=1.0)
    across = _term(names[0], said)
    up = _term(names[1], said) if len(names) > 1 else ""
    frame = _Frame(title, (0, len(columns)), (0, len(rows)), across, up)
    for at, column in enumerate(columns):
        frame.parts.append(_text(frame.x(at + 0.5), HEIGHT - BOTTOM + 18, str(column), "middle"))
        for row_at, row in enumerate(rows):
            mean = means.get((column, row))
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
                frame.parts.append(_text(x + wide / 2, y + tall / 2 + 4, f"{mean:.2f}", "middle", ink))
    for row_at, row in enumerate(rows):
        if row is not None:
            frame.parts.append(_text(LEFT - 8, frame.y(row_at + 0.5) + 4, str(row), "end"))
    frame.parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, across, "middle", PALE))
    frame.parts.append(_text(16, HEIGHT / 2, up, "middle", PALE, f'transform="rotate(-90 16 {HEIGHT / 2:.0f})"'))
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
    across = ", ".join(_term(name, said) for name in (cells[0].vary if cells else ()))
    frame = _Frame(
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
            f"{_filled(0)}><title>{mean:+.4f} ± {spread:.4f}</title></rect>"
            f'<path d="M{x:.1f} {frame.y(mean - spread):.1f}V{frame.y(mean + spread):.1f}" '
            f'stroke="{INK}" stroke-width="2"/>'
        )
        if len(cells) <= 12:
            above = frame.y(max(mean + spread, 0)) - 6
            frame.parts.append(_text(x, above, f"{mean:+.3f}", "middle"))
            label = ", ".join(str(value) for value in cell.vary.values())
            frame.parts.append(_text(x, HEIGHT - BOTTOM + 18, label, "middle"))
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


def ticks(low: float, high: float) -> list[float]:
    """Round numbers along an axis."""
    rough = (high - low) / 5 or 1
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * n for n in (1, 2, 5, 10) if size * n >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)]


def _above(most: float) -> float:
    return most * 1.12 if most else 1.0


def _short(value: float) -> str:
    return f"{value:.6g}"


def _text(x: float, y: float, text: str, anchor: str, colour: str = INK, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" {more}>{escape(text)}</text>'


def _stroke(at: int) -> str:
    dash = f' stroke-dasharray="{DASHES[at]}"' if DASHES[at] else ""
    return f'fill="none" stroke="{COLOURS[at]}" stroke-width="2.2"{dash}'


def _filled(at: int) -> str:
    return f'fill="url(#{FILLS[at]})" stroke="{COLOURS[at]}" stroke-width="0.8"' if at else f'fill="{COLOURS[0]}"'


def _pattern(at: int, drawn: str) -> str:
    colour = COLOURS[at]
    return (
        f'<pattern id="{FILLS[at]}" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<rect width="6" height="6" fill="#fff"/>{drawn.format(colour)}</pattern>'
    )


PATTERNS = (
    "<defs>"
    + _pattern(1, '<path d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5" stroke="{}" stroke-width="2"/>')
    + _pattern(2, '<circle cx="3" cy="3" r="1.7" fill="{}"/>')
    + _pattern(3, '<path d="M0 0L6 6M6 0L0 6" stroke="{}" stroke-width="1.2"/>')
    + _pattern(4, '<path d="M-1 -1L7 7M-1 5L1 7M5 -1L7 1" stroke="{}" stroke-width="1"/>')
    + _pattern(5, '<path d="M0 3H6" stroke="{}" stroke-width="2.4"/>')
    + "</defs>"
)
