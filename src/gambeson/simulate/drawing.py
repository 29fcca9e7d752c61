"""Drawing charts: a small SVG with a title, a legend and axes, readable in black and white."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 20, 46, 52
INK, GRID, PALE = "#1a1a1a", "#d8d8d8", "#5a5a5a"
COLOURS = ("#1b4f8a", "#c4571b", "#2f7d4f", "#7a3b8f", "#8a6d00", "#444444")
DASHES = ("", "7 4", "2 3", "10 3 2 3", "14 4", "4 2 1 2")
FILLS = ("solid", "hatch", "dots", "cross", "back", "rows")


class Frame:
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
            self.parts.append(text(LEFT - 8, at + 4, short(value), "end"))
        for value in whole:
            self.parts.append(text(self.x(value), HEIGHT - BOTTOM + 18, short(value), "middle"))
        self.parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, self.across, "middle", PALE))
        up = f'transform="rotate(-90 16 {HEIGHT / 2:.0f})"'
        self.parts.append(text(16, HEIGHT / 2, self.up, "middle", PALE, up))

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

    def named(self, names: Sequence[str], bars: bool) -> None:
        """The legend, in rows below the title; what is drawn stays below it."""
        if len(names) < 2:
            return
        x, y = float(LEFT), 44.0
        for at, name in enumerate(names):
            width = 44 + 8 * len(name)
            if x + width > WIDTH - RIGHT and x > LEFT:
                x, y = float(LEFT), y + 18
            if bars:
                mark = f'<rect x="{x:.0f}" y="{y - 10:.0f}" width="18" height="11" {filled(at)}/>'
            else:
                mark = f'<path d="M{x:.0f} {y - 4:.0f}h24" {stroke(at)}/>'
            self.legend += [mark, text(x + 29, y, name, "start")]
            x += width
        self.top = int(y) + 16


def ticks(low: float, high: float) -> list[float]:
    """Round numbers along an axis."""
    rough = (high - low) / 5 or 1
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * n for n in (1, 2, 5, 10) if size * n >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)]


def above(most: float) -> float:
    return most * 1.12 if most else 1.0


def short(value: float) -> str:
    return signed(f"{value:.6g}")


def signed(number: str) -> str:
    """A number with a minus that is as wide as a plus."""
    return number.replace("-", "−")


def text(x: float, y: float, text: str, anchor: str, colour: str = INK, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" {more}>{escape(text)}</text>'


def stroke(at: int) -> str:
    dash = f' stroke-dasharray="{DASHES[at]}"' if DASHES[at] else ""
    return f'fill="none" stroke="{COLOURS[at]}" stroke-width="2.2"{dash}'


def filled(at: int) -> str:
    return f'fill="url(#{FILLS[at]})" stroke="{COLOURS[at]}" stroke-width="0.8"' if at else f'fill="{COLOURS[0]}"'


def whisker(x: float, low: float, high: float) -> str:
    return f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" stroke="{INK}" stroke-width="2"/>'


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
