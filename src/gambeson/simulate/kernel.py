"""One function for a pack, its targets and kinds of hit: many fights, one after another, as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from gambeson.language.dice import Dice
from gambeson.language.lowering import NO, Value, fixed, named
from gambeson.language.names import given_names
from gambeson.language.pack import Pack
from gambeson.language.stages.riders import Riders
from gambeson.model.values import Entity, Hit
from gambeson.simulate.chance import GOLDEN, HALF, WORD, Draw, mixed_lines, plan
from gambeson.simulate.ends import DOWN, HITS, Until, down, over
from gambeson.simulate.healing import Healed, Healing, replaced, write_healing
from gambeson.simulate.program import Arena, Bounds, Lowering, Unlowered, answering
from gambeson.simulate.source import Step, indented, lines, needed, remark, said

LONGEST_THROW = 200
"""Dice that one kind of hit may throw in a program."""


class Struck(Struct, frozen=True):
    """One kind of hit: the blow as the game reads it, its amounts as numbers or dice, and what people call it."""

    hit: Hit
    amounts: tuple[int | Dice, ...]
    said: str = ""


class Fighter(Struct, frozen=True):
    """One side of a fight: who is struck, by which kinds of hit, how its pools are bounded, and its healing."""

    entity: Entity
    kinds: tuple[Struck, ...]
    bounds: dict[str, Bounds]
    healing: Healing | None = None
    prefix: str = ""
    policy: dict[str, str] = {}


class Thrown(Struct, frozen=True):
    """Dice of a kind of hit: what they are called in its lines, which dice, and how they are drawn."""

    name: str
    dice: Dice
    draws: tuple[Draw, ...]


class Kind(Struct, frozen=True):
    """One kind of hit, written: its dice, its lines, and what stands after them.

    `back` is what is lost by whoever strikes it, because the target strikes back.
    """

    thrown: tuple[Thrown, ...]
    steps: tuple[Step, ...]
    now: dict[str, Value]
    lost: dict[str, Value]
    back: dict[str, Value]
    said: str


class Side(Struct, frozen=True):
    """One side of a fight, written; `over` and `down` are read once every kind of hit on either side is written."""

    arena: Arena
    kinds: tuple[Kind, ...]
    halves: int
    healed: Healed | None
    over: Value = NO
    down: Value = NO

    @property
    def answers(self) -> bool:
        """Whether who strikes this side may be struck back."""
        return any(set(kind.now) - set(self.arena.names()) for kind in self.kinds)

    @property
    def rising(self) -> tuple[str, ...]:
        """The layers that may gain points in the fight."""
        return self.healed.layers if self.healed is not None else ()


def _arena(pack: Pack, fighter: Fighter) -> Arena:
    riders = {mark for struck in fighter.kinds for mark in _ridden(pack, struck.hit)}
    arena = Arena(
        pack,
        fighter.entity,
        fighter.bounds,
        fighter.prefix,
        replaced=replaced(pack, fighter.entity, fighter.healing),
        marked=tuple(sorted(riders)),
        policy=fighter.policy,
    )
    down(arena)  # the number that says it is there from the start
    return arena


def _ridden(pack: Pack, hit: Hit) -> tuple[str, ...]:
    """The conditions that come with a hit."""
    stages = (stage for stage in pack.procedure if isinstance(stage, Riders))
    return tuple(rider["condition"] for stage in stages for rider in hit.facts.get(stage.reads, ()))


def written(arena: Arena, fighter: Fighter, striker: Arena | None) -> Side:
    """Write every kind of hit on a side. Raises Unlowered."""
    used = 1 if len(fighter.kinds) > 1 else 0
    answers = answering(arena.pack, fighter.entity) if striker is not None else ()
    kinds, halves = [], used
    for struck in fighter.kinds:
        dice = [amount for amount in struck.amounts if isinstance(amount, Dice)]
        draws, more = plan([*dice, *(answer.dice for answer in answers)], used)
        halves = max(halves, more)
        kinds.append(_kind(arena, struck, draws, tuple(answer.key for answer in answers), striker))
    healed = write_healing(arena, fighter.healing) if fighter.healing is not None else None
    return Side(arena, tuple(kinds), max(1, halves), healed)


def _kind(
    arena: Arena, struck: Struck, draws: tuple[tuple[Draw, ...], ...], answers: tuple[str, ...], striker: Arena | None
) -> Kind:
    thrown: list[Thrown] = []
    amounts: list[Value] = []
    for at, amount in enumerate(struck.amounts):
        if isinstance(amount, int):
            amounts.append(fixed(amount))
        else:
            thrown.append(Thrown(f"{arena.prefix}dice_{at}", amount, draws[len(thrown)]))
            least, most = amount.count + amount.plus, amount.count * amount.sides + amount.plus
            amounts.append(named(thrown[-1].name, max(0, least), max(0, most)))
    program = Lowering(arena, struck.hit, tuple(amounts), striker)
    if sum(len(group) for group in draws) > LONGEST_THROW:
        program.refuse(f"{LONGEST_THROW}d")
    _barred(arena, struck.hit)
    program.write()
    for key, group in zip(answers, draws[len(thrown) :], strict=True):
        if key in program.thrown:
            thrown.append(Thrown(program.thrown[key].name, program.thrown[key].dice, group))
    now, back = dict(program.now), program.back
    if back is not None:
        now |= back.now
    lost = back.lost if back is not None else {}
    steps = needed(program.steps, (*now.values(), *program.lost.values(), *lost.values()))
    return Kind(tuple(thrown), tuple(steps), now, program.lost, lost, struck.said)


def choice_radix(side: Side) -> list[int]:
    """In a table of what is decided in each state: how many values each lasting number of a side may have."""
    most = [bound.most for bound in side.arena.pools.values()]
    return [bound + 1 for bound in (*most, *(counter.most for counter in side.arena.counters.values()))]


def _barred(arena: Arena, hit: Hit) -> None:
    """Raise Unlowered where the game may come to refuse such a hit in the course of a fight."""
    spec = arena.pack.commands["hit"]
    program = Lowering(arena, Hit(hit.target, (), hit.words, hit.location, hit.source, hit.facts), ())
    program.known = given_names(arena.known, spec.fields)
    for bar in spec.bars:
        if bar.field == "target" and arena.marked and program.holds(bar.when).fixed is None:
            raise Unlowered("hit", "command", bar.rule)


class Kernel(Struct, frozen=True):
    """The text of a fight and what its arguments mean.

    `starts` lists what the fight begins with (`NAME` a pool's points, `NAME_maximum`), `sums` what is added up over
    fights, `state` the names that `kept` rows hold after the number of blows (0: the end did not come). After the
    `bounds` that choose the kinds of hit stands what is decided in each state (`decisions.Decisions.block`), if
    anything is.
    """

    text: str
    sides: tuple[Side, ...]
    starts: tuple[tuple[int, str, str], ...]
    sums: tuple[tuple[int, str], ...]
    state: tuple[str, ...]
    words: int
    bounds: int


def kernel(pack: Pack, fighters: Sequence[Fighter], until: Until, order: str = "") -> Kernel:
    """Write the function for these sides (two of them in a duel). Raises Unlowered."""
    arenas = [_arena(pack, fighter) for fighter in fighters]
    strikers = arenas[::-1] if len(arenas) > 1 else [None]
    made = [written(*side) for side in zip(arenas, fighters, strikers, strict=True)]
    sides = tuple(replace(side, over=over(side.arena, until), down=down(side.arena)) for side in made)
    words = max((side.halves + 1) // 2 for side in sides)
    starts = [
        (at, layer, of) for at, side in enumerate(sides) for layer in side.arena.pools for of in ("current", "maximum")
    ]
    sums = [(at, layer) for at, side in enumerate(sides) for layer in side.arena.pools]
    state = tuple(name for side in sides for name in side.arena.names())
    body = _Body(sides, until, order, words, starts, sums, state)
    bounds = sum(len(side.kinds) - 1 for side in sides)
    return Kernel("\n".join(body.text()) + "\n", sides, tuple(starts), tuple(sums), state, words, bounds)


HEAD = '''def fights(seed, first, trials, most, starts, bounds, tally, sums, kept, rows):
    """{about}

    Plays the fights with numbers from `first` on, each of at most `most` blows. `tally[n]` counts those that ended
    with blow n, `sums` adds up the points that each layer lost{wins}; where `rows` is not 0, `kept` has a row for
    each fight: its blows (0: not ended) and {state}.
    """'''


class _Body:
    def __init__(
        self,
        sides: tuple[Side, ...],
        until: Until,
        order: str,
        words: int,
        starts: list[tuple[int, str, str]],
        sums: list[tuple[int, str]],
        state: tuple[str, ...],
    ) -> None:
        self.sides = sides
        self.until = until
        self.order = order
        self.words = words
        self.starts = starts
        self.sums = sums
        self.state = state

    def text(self) -> list[str]:
        pack = self.sides[0].arena.pack
        about = remark(f"Fights of {pack.game}, rules {pack.hash[:18]}.")
        wins = ", then the falls of the first side, of the second and of both" if self.order else ""
        head = HEAD.format(about=about, wins=wins, state=", ".join(self.state) or "nothing")
        lost = [f"total_{at} = 0" for at in range(len(self.sums))]
        fallen = ["fallen_0 = 0", "fallen_1 = 0", "fallen_2 = 0"] if self.order else []
        added = [f"sums[{at}] += total_{at}" for at in range(len(self.sums))]
        added += [f"sums[{len(self.sums) + at}] += fallen_{at}" for at in range(3 if self.order else 0)]
        return [
            *head.splitlines(),
            *indented([*self._arguments(), *lost, *fallen], 1),
            "    for trial in range(first, first + trials):",
            *indented(self._fight(), 2),
            *indented(added, 1),
        ]

    def _name(self, side: int, layer: str) -> str:
        return self.sides[side].arena.pool_name(layer)

    def _arguments(self) -> list[str]:
        text = [*self._arrays(), *mixed_lines("key", "uint64(seed)")]
        for at, (side, layer, of) in enumerate(self.starts):
            text.append(f"{self._name(side, layer)}_{'start' if of == 'current' else of} = starts[{at}]")
        for number in range(sum(len(side.kinds) - 1 for side in self.sides)):
            text.append(f"bound_{number} = bounds[{number}]")
        return text

    def _arrays(self) -> list[str]:
        """Where the arguments are addresses, how long the arrays there are."""
        lengths = {
            "starts": len(self.starts),
            "bounds": sum(len(side.kinds) - 1 for side in self.sides),
            "tally": "most + 1",
            "sums": len(self.sums) + 3,
            "kept": f"rows * {len(self.state) + 1}",
        }
        return [f"{name} = carray({name}, {length})" for name, length in lengths.items()]

    def _fight(self) -> list[str]:
        begin = [*mixed_lines("word", f"uint64(key + uint64(trial) * uint64({GOLDEN:#x}))"), "blows = 0", "ended = 0"]
        end = []
        for at, (side, layer) in enumerate(self.sums):
            name = self._name(side, layer)
            if layer in self.sides[side].rising:
                begin.append(f"{name}_lost = 0")
                end.append(f"total_{at} += {name}_lost")
            else:
                end.append(f"total_{at} += {name}_start - {name}")
            begin.append(f"{name} = {name}_start")
        for side_of in self.sides:
            begin += [f"{counter.name} = {counter.start}" for counter in side_of.arena.counters.values()]
        keep = [f"row = (trial - first) * {len(self.state) + 1}", "kept[row] = ended"]
        keep += [f"kept[row + {at}] = {name}" for at, name in enumerate(self.state, 1)]
        return [
            *begin,
            "while blows < most:",
            *indented(self._round(), 1),
            *end,
            "if rows > 0:",
            *indented(keep, 1),
        ]

    def _round(self) -> list[str]:
        text = ["blows += 1"]
        if not self.order:
            text += self._strike(0, 0)
            side = self.sides[0]
            text += [f"if {said(side.over)}:", "    tally[blows] += 1", "    ended = blows", "    break"]
            if self._leaves():
                text += [f"if {said(side.down)}:", "    break"]
            return [*text, *self._heal(side)]
        text += self._duel()
        for side in self.sides:
            text += self._heal(side)
        return text

    def _duel(self) -> list[str]:
        """Both sides are struck; with `alternate` the second only where the first blow has ended nothing."""
        one, other = self.sides
        text = self._strike(0, 0)
        second = self._strike(1, len(one.kinds) - 1)
        over = [f"target_over = {said(one.over)}", f"against_over = {said(other.over)}"]
        if self.order == "alternate":
            text += [over[0], over[1] if one.answers else "against_over = False"]
            goes_on = "if not (target_over | against_over):" if one.answers else "if not target_over:"
            if self._leaves():
                goes_on = goes_on.replace("if not ", f"if not ({said(one.down)}) and not ({said(other.down)}) and not ")
            text += [goes_on, *indented([*second, *(over if other.answers else over[1:])], 1)]
        else:
            text += [*second, *over]
        ends = ["fallen_2 += int64(target_over & against_over)", "fallen_0 += int64(target_over)"]
        ends += ["fallen_1 += int64(against_over)", "tally[blows] += 1", "ended = blows", "break"]
        text += ["if target_over | against_over:", *indented(ends, 1)]
        if self._leaves():
            text += [f"if ({said(one.down)}) | ({said(other.down)}):", "    break"]
        return text

    def _leaves(self) -> bool:
        """Whether somebody may go down without the end having come."""
        return self.until.kind not in (DOWN, HITS) and any(side.down.fixed != 0 for side in self.sides)

    def _heal(self, side: Side) -> list[str]:
        healed = side.healed
        if healed is None:
            return []
        body = [*self._decided(side, healed), *lines(healed.steps), *self._assigned(side, healed.now)]
        return [f"if blows % {healed.every} == 0:", *indented(body, 1)] if body else []

    def _decided(self, side: Side, healed: Healed) -> list[str]:
        """Look up whether new points are taken: after the bounds stands a table for each side."""
        if not healed.takes:
            return []
        deciding = [one for one in self.sides if one.healed is not None and one.healed.takes]
        sizes = [math.prod(choice_radix(one)) for one in deciding]
        begins = sum(len(one.kinds) - 1 for one in self.sides) + sum(sizes[: deciding.index(side)])
        place = "0"
        for name, radix in zip(side.arena.names(), choice_radix(side), strict=True):
            place = name if place == "0" else f"({place}) * {radix} + {name}"
        if self.until.kind == HITS:
            place = f"(blows // {healed.every} - 1) * {sum(sizes)} + {place}"
        return [f"{healed.takes} = bounds[{begins} + {place}]"]

    def _strike(self, at: int, bound: int) -> list[str]:
        side = self.sides[at]
        text = [f"word = uint64(word + uint64({self.words * GOLDEN & WORD:#x}))", *mixed_lines("z", "word")]
        if len(side.kinds) == 1:
            return [*text, *self._blow(side, side.kinds[0])]
        text.append("chance = int64(z >> uint64(32))")
        for number, kind in enumerate(side.kinds):
            if number < len(side.kinds) - 1:
                text.append(f"{'el' if number else ''}if chance < bound_{bound + number}:")
            else:
                text.append("else:")
            text += indented(self._blow(side, kind), 1)
        return text

    def _blow(self, side: Side, kind: Kind) -> list[str]:
        text = [f"# {remark(kind.said)}"] if kind.said else []
        for thrown in kind.thrown:
            text += _thrown(thrown)
        text += lines(kind.steps)
        for struck, lost in ((side, kind.lost), (self.sides[-1 if side is self.sides[0] else 0], kind.back)):
            for layer in struck.rising:
                if layer in lost:
                    text.append(f"{struck.arena.pool_name(layer)}_lost += {said(lost[layer])}")
        text += self._assigned(side, kind.now)
        return text if any(not line.startswith("#") for line in text) else [*text, "pass"]

    def _assigned(self, side: Side, now: dict[str, Value]) -> list[str]:
        """What lasts gets its new value, once all are worked out."""
        changed = [(name, said(value)) for name, value in now.items() if said(value) != name]
        return [f"{name} = {value}" for name, value in changed]


def _thrown(thrown: Thrown) -> list[str]:
    """The lines that throw dice and add them up."""
    text: list[str] = []
    name, dice = thrown.name, thrown.dice
    for number, draw in enumerate(thrown.draws):
        if draw.first:
            if draw.half > 1:
                text += mixed_lines("more", f"uint64(word + uint64({draw.half // 2 * GOLDEN & WORD:#x}))")
            text.append(f"rest = {_half(draw.half)} * uint64({draw.sides})")
        else:
            text.append(f"rest = (rest & uint64({HALF:#x})) * uint64({draw.sides})")
        text.append(f"{name} {'+=' if number else '='} int64(rest >> uint64(32))")
    if not thrown.draws:
        text.append(f"{name} = 0")
    added = dice.count + dice.plus
    if added:
        text.append(f"{name} {'+' if added > 0 else '-'}= {abs(added)}")
    if added < 0:
        text.append(f"{name} = max(0, {name})")
    return text


def _half(half: int) -> str:
    word = "z" if half < 2 else "more"
    return f"({word} & uint64({HALF:#x}))" if half % 2 else f"({word} >> uint64(32))"
