"""Own drawings, 24 by 24, one stroke of 2: the ones of a page stand in it once."""

from __future__ import annotations

from markupsafe import Markup

DRAWINGS: dict[str, Markup] = {
    name: Markup(shape)
    for name, shape in {
        "back": '<path d="M15 5l-7 7 7 7"/>',
        "die": '<path d="M12 2.5 20 7.2v9.6L12 21.5 4 16.8V7.2zM12 7l5 8.5H7zM12 2.5V7M4 7.2l3 8.3M20 7.2l-3 8.3"/>',
        "drop": '<path d="M12 3.5c3.5 4.5 6 7.3 6 10.5a6 6 0 0 1-12 0c0-3.2 2.5-6 6-10.5z"/>',
        "flag": '<path d="M6 21V4M6 4.5c4-2 7 2.5 12 .5v8c-5 2-8-2.5-12-.5"/>',
        "gear": (
            '<circle cx="12" cy="12" r="3.2"/>'
            '<path d="M12 2.8v3.4M12 17.8v3.4M2.8 12h3.4M17.8 12h3.4M5.5 5.5l2.4 2.4M16.1 16.1l2.4 2.4M5.5 18.5l2.4-2.4'
            'M16.1 7.9l2.4-2.4"/><circle cx="12" cy="12" r="6.4"/>'
        ),
        "go": '<path d="m9 5 7 7-7 7"/>',
        "layer": '<path d="m12 4 8 4-8 4-8-4zM4 12l8 4 8-4M4 16l8 4 8-4"/>',
        "live": '<path d="M3 12h4l2.5-6 4 12 2.5-6h5"/>',
        "log": '<path d="M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01"/>',
        "mic": '<rect x="9" y="3" width="6" height="11" rx="3"/><path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3"/>',
        "minus": '<path d="M5 12h14"/>',
        "more": '<path d="M5 12h.01M12 12h.01M19 12h.01"/>',
        "no": '<circle cx="12" cy="12" r="8.5"/><path d="m6 6 12 12"/>',
        "off": '<path d="M3 3l18 18M6 9a9 9 0 0 1 3-1.8M18 9a9 9 0 0 0-5-2.3M9 14a4.5 4.5 0 0 1 5 0M12 18h.01"/>',
        "plus": '<path d="M12 5v14M5 12h14"/>',
        "quiet": '<path d="M4 10v4h3l7 4.5v-13L7 10zM17.5 10l4 4M21.5 10l-4 4"/>',
        "scroll": '<path d="M7 4h11v13a3 3 0 0 1-3 3H6a3 3 0 0 0 3-3V6a2 2 0 0 0-4 0v2h4M12 9h3M12 13h3"/>',
        "seats": (
            '<circle cx="9" cy="8" r="3.5"/>'
            '<path d="M3 20c0-4 2.5-6 6-6s6 2 6 6M16 5a3.5 3.5 0 0 1 0 6.5M18 14.5c2 .8 3 2.7 3 5.5"/>'
        ),
        "shield": '<path d="M5 4h14v7c0 5-3.2 8-7 9.5C8.2 19 5 16 5 11z"/>',
        "shout": '<path d="M4 10v4h3l7 4.5v-13L7 10zM17.5 9a4 4 0 0 1 0 6"/>',
        "sun": (
            '<circle cx="12" cy="12" r="4"/>'
            '<path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4'
            'M17.3 6.7l1.4-1.4"/>'
        ),
        "sword": '<path d="M20.5 3.5 19.5 8l-8.3 8.3-3.5-3.5L16 4.5zM4.8 11.8l7.4 7.4M8.3 15.7 4 20"/>',
        "table": (
            '<rect x="4" y="4" width="7" height="7" rx="1"/><rect x="13" y="4" width="7" height="7" rx="1"/>'
            '<rect x="4" y="13" width="7" height="7" rx="1"/><rect x="13" y="13" width="7" height="7" rx="1"/>'
        ),
        "thorn": '<path d="M4 20c6-1 11-6 16-16M9 17l-1-5M13.5 13l-.5-5M9 17l5 1M13.5 13l5 .5"/>',
        "time": '<circle cx="12" cy="12" r="8.5"/><path d="M12 7v5l3.5 2"/>',
        "undo": '<path d="M8.5 5 4 9.5 8.5 14M4.5 9.5H14a5.5 5.5 0 0 1 0 11H9"/>',
        "wound": '<path d="M6 6l12 12M18 6 6 18"/>',
        "yes": '<path d="m5 12.5 4.5 4.5L19 7"/>',
    }.items()
}
