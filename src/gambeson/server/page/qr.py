"""A link as a QR code, black on white."""

from __future__ import annotations

import segno
from markupsafe import Markup


def drawn(link: str, label: str) -> Markup:
    """The code as SVG; four modules of white around it."""
    rows = [list(row) for row in segno.make(link, error="m", micro=False).matrix]
    size = len(rows)
    squares = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark)
    box = f"-4 -4 {size + 8} {size + 8}"
    return Markup(
        '<svg class="qr" viewBox="{}" role="img" aria-label="{}" shape-rendering="crispEdges"><path d="{}"/></svg>'
    ).format(box, label, squares)
