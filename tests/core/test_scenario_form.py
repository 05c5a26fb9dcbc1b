"""The form of a scenario, to the letter: what YAML means here, what does not fit, what fails, and the command."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from core import scenario
from telegram_bot.__main__ import main
from telegram_bot.commands import plain_yaml

FILES = sorted((Path(__file__).parent.parent / "scenarios").glob("*.yaml"))

TABLE = """
title: A table for four
seats: [Ann, Bob, Cid, Dan]
hands:
  Ann: [Flamethrower, Whisky, Whisky, Axe]
  Bob: [No Barbeque!, Suspicion, Suspicion, Suspicion]
  Cid: [Whisky, Whisky, Whisky, Whisky]
  Dan: [The Thing, Whisky, Infected!, "No, Thanks!"]
deck: [Whisky, Scary, Resolute, Axe]
"""


def play(text: str) -> None:
    scenario.play(plain_yaml.load(text))


def table(**changes: Any) -> dict[str, Any]:
    return {**plain_yaml.load(TABLE), **changes}


# --- YAML ---


@pytest.mark.parametrize(("text", "value"), [
    ("true", True), ("false", False), ("True", "True"), ("TRUE", "TRUE"), ("yes", "yes"), ("No", "No"), ("on", "on"),
    ("off", "off"), ("y", "y"), ("null", "null"), ("~", "~"), ("Null", "Null"), ("1", 1), ("-3", -3), ("+2", 2),
    ("0", 0), ("010", "010"), ("0o10", "0o10"), ("0x1F", "0x1F"), ("1_000", "1_000"), ("1.5", "1.5"), ("1e3", "1e3"),
    (".inf", ".inf"), (".nan", ".nan"), ("190:20:30", "190:20:30"), ("2001-01-01", "2001-01-01"), ("=", "="),
    ("<<", "<<"), ("'1'", "1"), ('"true"', "true"), ("!!str 1", "1"), ("[]", []), ("{}", {}),
    ("{No: on}", {"No": "on"}), ("{1: 2}", {"1": 2}), ("[&a x, *a]", ["x", "x"]), ("", None), ("9" * 30, "9" * 30),
])  # fmt: skip
def test_only_true_and_false_and_whole_numbers_are_no_text(text: str, value: object) -> None:
    read = plain_yaml.load(f"- {text}" if not text.startswith(("[", "{")) else text)
    read = read[0] if not text.startswith(("[", "{")) else read
    assert read == value and isinstance(read, bool) == isinstance(value, bool)
    assert isinstance(read, str) == isinstance(value, str)


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{this}: &{this} [{', '.join([f'*{last}'] * 10)}]\n" for last, this in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize("text", [
    "", "{", "[", "a: b: c", "a: 1\na: 2", "{1: a, '1': b}", "a: 1\n---\nb: 2", "*a", "&a [*a]", "? [a]\n: b",
    "? {a: b}\n: c", "!!python/object:os.system x", "!!binary aGk=", "!!set {a, b}", "!!timestamp 2001-01-01",
    "!!float 1.5", "!!int '3'", "[" * 100_000, "{a: " * 200, BOMB, "\t- a", "a: @b", "a: `b", b"\xff\xfe\xff",
    b"a: \x00",
    "- a\nb: c", "%YAML 9.9\n---\na",
])  # fmt: skip
def test_what_is_no_plain_yaml_is_an_error(text: str) -> None:
    with pytest.raises(yaml.YAMLError):
        plain_yaml.load(text)


def test_what_is_dumped_is_read_the_same_by_any_reader() -> None:
    names = ["No", "on", "null", "~", "1.5", "010", "1", "+2", "2001-01-01", "true", "", " x ", "a: b", "#", "- a",
    "'",
             "\u202eevil", "🔥", "<b>", "a\nb", "*a", "&a", "!x", "%", "@", "`", "[", "{", "?", "=", "<<", "y",
    "expect",
             '"']
    data = {"names": names, "keys": {name: name for name in names}, "twice": [names, names]}
    assert plain_yaml.load(plain_yaml.dump(data)) == data
    assert yaml.safe_load(plain_yaml.dump(data)) == data
    assert "&" not in plain_yaml.dump({"a": data["keys"], "b": data["keys"]}).replace("'&a'", "")


# --- what does not fit ---


@pytest.mark.parametrize("changes", [
    {"title": None}, {"title": 5}, {"title": ["a"]}, {"extra": 1}, {"cites": "R1"}, {"cites": [1]}, {"seats": None},
    {"seats": "Ann"}, {"seats": ["Ann"]}, {"seats": [f"p{n}" for n in range(13)]}, {"seats": ["Ann", "Ann", "Bob",
    "Cid"]},
    {"seats": [["Ann"], "Bob"]}, {"seats": [True, "Bob"]}, {"seats": [None, "Bob"]}, {"hands": None}, {"hands": []},
    {"hands": {"Ann": ["Axe"]}}, {"hands": {"Eve": ["Axe"]}}, {"deck": None}, {"deck": "Axe"}, {"deck": {"Axe": 1}},
    {"deck": ["Hammer"]}, {"deck": [1]}, {"deck": [["Axe"]]}, {"deck": [None]}, {"pile": ["axe"]}, {"pile": 3},
    {"turn": "Eve"}, {"turn": None}, {"turn": ["Ann"]}, {"direction": "left"}, {"direction": ["clockwise"]},
    {"direction": None}, {"doors": ["Ann"]}, {"doors": [["Ann"]]}, {"doors": [["Ann", "Cid"]]}, {"doors": [["Ann",
    "Ann"]]},
    {"doors": [["Ann", "Bob"], ["Bob", "Ann"]]}, {"doors": [["Ann", "Bob", "Cid"]]}, {"doors": {"Ann": "Bob"}},
    {"doors": [["Ann", "Eve"]]}, {"doors": [[["Ann"], "Bob"]]}, {"quarantines": ["Ann"]}, {"quarantines": {"Ann": -1}},
    {"quarantines": {"Ann": True}}, {"quarantines": {"Ann": "two"}}, {"quarantines": {"Eve": 1}},
    {"eliminated": "Ann"},
    {"eliminated": ["Eve"]}, {"eliminated": ["Ann", "Bob", "Cid"]}, {"eliminated": ["Ann"]},
    {"roles": {"Ann": "thing"}},
    {"roles": {"Dan": "human"}}, {"roles": {"Ann": "alien"}}, {"roles": {"Ann": ["human"]}}, {"roles": ["human"]},
    {"chance": {}}, {"chance": ["shuffle"]}, {"chance": [{"shuffle": "Axe"}]}, {"chance": [{"shuffle": ["Hammer"]}]},
    {"chance": [{"pick": ["Axe"]}]}, {"chance": [{"pick": "Axe", "shuffle": []}]}, {"chance": [{}]},
    {"chance": [{"roll": 1}]},
    {"options": None}, {"options": []}, {"options": {"vengence": True}}, {"options": {"vengeance": "yes"}},
    {"options": {"infected_delta": -8}}, {"options": {"deck": {"Axe": 3}}}, {"options": {"quarantine": ["open"]}},
    {"options": {"deck": {"Axe": "3"}}}, {"options": {"deck": {"Hammer": 3}}}, {"options": {"deck": ["Axe"]}},
    {"play": None}, {"play": {}}, {"play": ["Ann"]}, {"play": [[]]}, {"play": [{}]}, {"play": "declare"},
])  # fmt: skip
def test_a_table_that_does_not_fit(changes: dict[str, Any]) -> None:
    with pytest.raises(scenario.Unfit):
        scenario.play(table(**changes))


@pytest.mark.parametrize("step", [
    "{Eve: pass}", "{Ann: nod}", "{Ann: true}", "{Ann: 3}", "{Ann: }", "{Ann: []}", "{Ann: {}}", "{Ann: {nod: Axe}}",
    "{Ann: {play: Hammer}}", "{Ann: {play: [Axe]}}", "{Ann: {play: Axe, at: Eve}}", "{Ann: {play: Axe, at: [Ann]}}",
    "{Ann: {play: Axe, at: Bob, side: up}}", "{Ann: {play: Axe, at: Bob, side: true}}", "{Ann: {play: Axe, on: Bob}}",
    "{Ann: {discard: Axe, at: Bob}}", "{Ann: {discard: Axe, give: Axe}}", "{Ann: {at: Bob}}", "{Ann: {forget: Axe}}",
    "{Ann: {forget: [Hammer]}}", "{Ann: {choose: Eve}}", "{Ann: {choose: [Bob]}}", "{Ann: {show: some}}",
    "{Ann: {show: [all]}}", "{Ann: {keep: 3}}", "{Ann: {swap: }}", "{Ann: pass, Bob: pass}",
    "{Ann: pass, refused: yes}", "{Ann: pass, refused: 1}", "{Ann: pass, refused: }", "{refused: true}",
    "{Ann: [pass]}",
    "{expect: {turn: Ann}, Ann: pass}", "{expect: {turn: Ann}, refused: true}", "{expect: [turn]}", "{expect: turn}",
    "{expect: }", "{expect: {weather: cold}}", "{expect: {turn: Eve}}", "{expect: {turn: [Ann]}}",
    "{expect: {asked: Ann}}",
    "{expect: {asked: [Eve]}}", "{expect: {asked: {Ann: 1}}}", "{expect: {asked: }}", "{expect: {roles: [human]}}",
    "{expect: {roles: {Ann: alien}}}", "{expect: {roles: {Eve: human}}}", "{expect: {quarantines: {Ann: true}}}",
    "{expect: {quarantines: {Ann: [1]}}}", "{expect: {quarantines: 0}}", "{expect: {hand_size: 4}}",
    "{expect: {hand_size: {Ann: four}}}", "{expect: {hand: {Ann: Axe}}}", "{expect: {hand: {Ann: [Hammer]}}}",
    "{expect: {hand: [Axe]}}", "{expect: {hand: {Ann: {Axe: 1}}}}", "{expect: {holds: {Ann: Axe}}}",
    "{expect: {holds: {Eve: [Axe]}}}", "{expect: {holds: [Axe]}}", "{expect: {lacks: {Ann: [3]}}}",
    "{expect: {lacks: {Ann: }}}", "{expect: {seats: Ann}}", "{expect: {seats: [Eve]}}", "{expect: {direction: left}}",
    "{expect: {direction: [clockwise]}}", "{expect: {doors: [Ann, Bob]}}", "{expect: {doors: [[Ann]]}}",
    "{expect: {doors: [[Ann, Eve]]}}", "{expect: {doors: true}}", "{expect: {eliminated: Ann}}",
    "{expect: {eliminated: [Eve]}}", "{expect: {deck_top: Axe}}", "{expect: {deck_top: [Hammer]}}",
    "{expect: {pile_has: Axe}}", "{expect: {pile_has: {Axe: 1}}}", "{expect: {deck_size: four}}",
    "{expect: {deck_size: true}}", "{expect: {pile_size: [1]}}", "{expect: {pile_size: -1}}", "{expect: {saw: [Axe]}}",
    "{expect: {saw: {Ann: Axe}}}", "{expect: {saw: {Eve: []}}}", "{expect: {unseen: {Ann: Axe}}}",
    "{expect: {unseen: Axe}}", "{expect: {winners: Ann}}", "{expect: {winners: [Eve]}}", "{expect: {winners: }}",
    "{expect: {over: 0}}", "{expect: {over: No}}", "{expect: {over: [true]}}",
])  # fmt: skip
def test_a_step_that_does_not_fit(step: str) -> None:
    """It is told before anything is played, and even where the script fails earlier."""
    with pytest.raises(scenario.Unfit, match="^step 2: "):
        scenario.play(table(play=plain_yaml.load("- {Bob: pass}\n- " + step)))


def test_rules_are_not_broken_by_any_change_to_a_scenario() -> None:
    """Files with a part of another shape fit or not, pass or fail; they break nothing."""
    dice = Random("changes")
    shapes: list[Any] = [None, True, 3, -1, "Ann", "x", [], ["Ann"], [["Ann"]], {}, {"Ann": 1}, {"play": "Axe"}]
    shapes += ["Infected!", ["Infected!"] * 5]
    for _ in range(1500):
        data = plain_yaml.load(dice.choice(FILES).read_text(encoding="utf-8"))
        for _ in range(dice.choice([1, 1, 2])):
            change(data, dice, shapes)
        try:
            scenario.play(data)
        except (scenario.Unfit, scenario.Failed) as why:
            assert len(str(why)) < 1500


def change(value: Any, dice: Random, shapes: list[Any]) -> None:
    """Change one part, somewhere inside *value*."""
    while isinstance(value, dict | list) and value:
        key = dice.choice(list(value) if isinstance(value, dict) else range(len(value)))
        if not isinstance(value[key], dict | list) or dice.random() < 0.2:
            value[key] = dice.choice(shapes)
            return
        value = value[key]


# --- what passes and what fails ---


@pytest.mark.parametrize("names", [
    ("1", "2", "3", "4"), ("No", "on", "null", "~"), ("left", "right", "expect", "refused"), ("timeout", "pass",
    "declare", "play"),
    ("give", "at", "side", "turn"), ("Axe", "The Thing", "Infected!", "all"), ("1.5", "010", "2001-01-01", "True"),
    ("true", "false", "", " "), ("+2", "2", "-0", "0"), ("🔥", "\u202ex", "a: b", "<b>"), ("saw", "over", "asked",
    "hand"),
])  # fmt: skip
def test_names_may_be_any_text(names: tuple[str, ...]) -> None:
    """Every scenario of four goes the same way whatever the four are called."""
    called = dict(zip(("Ann", "Bob", "Cid", "Dan"), names, strict=True))
    for file in FILES:
        data = plain_yaml.load(file.read_text(encoding="utf-8"))
        is_said = not any({"Dan", "refused"} <= step.keys() for step in data["play"])
        if data["seats"] == list(called) and is_said:
            renamed = rename(data, called)
            scenario.play(plain_yaml.load(plain_yaml.dump(renamed)))


def rename(value: Any, called: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {called.get(key, key): rename(part, called) for key, part in value.items()}
    if isinstance(value, list):
        return [rename(part, called) for part in value]
    return called.get(value, value) if isinstance(value, str) else value


def test_unquoted_names_that_look_like_something_else() -> None:
    play("""
title: Names as they come
seats: [1, No, +2, 2001-01-01]
hands:
  1: [Flamethrower, Whisky, Whisky, Axe]
  No: [Whisky, Whisky, Whisky, Whisky]
  +2: [Whisky, Whisky, Whisky, Whisky]
  2001-01-01: [The Thing, Whisky, Whisky, Whisky]
deck: [Analysis, Whisky, Whisky]
turn: 1
play:
- 1: {play: Flamethrower, at: No}
- No: pass
- expect: {asked: [1], turn: 1, eliminated: [No], seats: [1, +2, 2001-01-01], hand_size: {No: 0, +2: 4}}
""")


@pytest.mark.parametrize(("script", "why"), [
    ("- Bob: pass", "step 1: Bob cannot pass; asked: Ann"),
    ("- expect: {turn: Bob}", "step 1: turn: expected Bob, found Ann"),
    ("- expect: {}\n- expect: {asked: []}", "step 2: asked: expected \\[\\], found \\['Ann'\\]"),
    ("- {Ann: {discard: Axe}, refused: true}", "step 1: Ann: discard Axe was not refused"),
    ("- Ann: {play: Axe}", "step 1: Ann cannot play Axe"),
    ("- Ann: {play: Flamethrower}", "step 1: Ann cannot"),
    ("- Ann: {play: Flamethrower, at: Cid}", "step 1: Ann cannot"),
    ("- Ann: {play: Flamethrower, at: Bob, side: right}", "step 1: Ann cannot"),
    ("- expect: {winners: []}", "step 1: winners: the game is not over"),
    ("- expect: {over: true}", "step 1: over: expected True, found False"),
    ("- expect: {doors: [[Ann, Cid]]}", "step 1: doors"),
    ("- expect: {doors: [[Ann, Bob]]}", "step 1: doors"),
    ("- expect: {seats: [Ann, Cid, Bob, Dan]}", "step 1: seats"),
    ("- expect: {seats: [Ann, Bob, Cid]}", "step 1: seats"),
    ("- expect: {deck_top: [Resolute]}", "step 1: deck_top"),
    ("- expect: {deck_top: [Scary, Resolute, Axe, Axe]}", "step 1: deck_top"),
    ("- expect: {pile_has: [Axe]}", "step 1: pile_has"),
    ("- expect: {holds: {Ann: [Axe, Axe]}}", "step 1: holds: Ann lacks \\['Axe'\\]"),
    ("- expect: {lacks: {Ann: [Scary, Axe]}}", "step 1: lacks: Ann holds \\['Axe'\\]"),
    ("- expect: {hand: {Ann: [Axe]}}", "step 1: hand of Ann"),
    ("- expect: {unseen: {Ann: [Whisky]}}", "step 1: unseen: Ann has seen \\['Whisky'\\]"),
    ("- expect: {saw: {Ann: [Whisky]}}", "step 1: saw of Ann"),
    ("- expect: {hand_size: {Ann: 4}}", "step 1: hand_size of Ann: expected 4, found 5"),
    ("- expect: {roles: {Dan: human}}", "step 1: roles of Dan"),
    ("- expect: {quarantines: {Dan: 1}}", "step 1: quarantines of Dan"),
    ("- expect: {direction: counterclockwise}", "step 1: direction"),
    ("- expect: {eliminated: [Dan]}", "step 1: eliminated"),
    ("- expect: {deck_size: 4}", "step 1: deck_size"),
    ("- Bob: timeout", "step 1: Bob cannot timeout"),
    ("- Ann: {forget: [Axe]}", "step 1: Ann cannot forget"),
])
def test_what_does_not_go_as_it_says_fails_with_the_step(script: str, why: str) -> None:
    with pytest.raises(scenario.Failed, match=why):
        play(f"{TABLE}\nplay:\n{script}")


def test_expectations_that_hold() -> None:
    play(f"""{TABLE}
play:
- expect: {{}}
- {{Bob: timeout, refused: true}}
- {{Ann: {{play: Flamethrower, at: Cid}}, refused: true}}
- {{Ann: declare, refused: true}}
- Ann: {{play: Flamethrower, at: Bob}}
- {{Bob: {{defend: Scary}}, refused: true}}
- expect: {{asked: [Bob], turn: Ann, hand_size: {{Ann: 4}}, pile_size: 0, over: false}}
- Bob: pass
- expect:
    eliminated: [Bob]
    seats: [Dan, Ann, Cid]
    hand: {{Bob: [], Ann: [Whisky, Axe, Whisky, Whisky]}}
    pile_has: [Suspicion, Flamethrower, Suspicion]
    pile_size: 5
    roles: {{Bob: human, Dan: thing}}
    unseen: {{Cid: [Suspicion], Bob: [Scary]}}
    saw: {{Bob: [], Cid: []}}
""")


def test_impossible_chance_fails_and_what_chance_leaves_open_the_dice_throw() -> None:
    suspicious = {**plain_yaml.load(TABLE), "deck": ["Suspicion", "Axe"]}
    look = {"Ann": {"play": "Suspicion", "at": "Bob"}}
    scenario.play({**suspicious, "play": [look]})
    seen = {"expect": {"saw": {"Ann": ["Suspicion"]}}}
    scenario.play({**suspicious, "chance": [{"pick": "Suspicion"}], "play": [look, seen]})
    for chance in ([{"pick": "Axe"}], [{"shuffle": []}], [{"shuffle": ["Axe"]}]):
        with pytest.raises(scenario.Failed, match="^step 1: "):
            scenario.play({**suspicious, "chance": chance, "play": [look]})
    empty = {**suspicious, "deck": [], "pile": ["Axe", "Scary"]}
    scenario.play({**empty, "chance": [{"shuffle": ["Scary", "Axe"]}], "play": [{"expect": {"deck_top": ["Axe"]}}]})
    with pytest.raises(scenario.Failed):
        scenario.play({**empty, "chance": [{"shuffle": ["Scary", "Scary"]}], "play": []})


# --- the command ---


def run(folder: Path, capsys: pytest.CaptureFixture[str], *texts: str) -> tuple[int, list[str]]:
    files = []
    for number, text in enumerate(texts):
        files.append(folder / f"{number}.yaml")
        files[-1].write_bytes(text.encode("utf-8", "surrogateescape"))
    code = main(["scenario", *map(str, files)])
    return code, [line.replace(f"{folder}/", "") for line in capsys.readouterr().out.splitlines()]


def test_the_command_prints_a_line_a_file_and_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = TABLE, f"{TABLE}\nplay: [{{expect: {{turn: Ann}}}}, {{expect: {{turn: Bob}}}}]"
    assert run(tmp_path, capsys, good) == (0, ["PASS 0.yaml: A table for four", "1 passed, 0 failed"])
    code, lines = run(tmp_path, capsys, good, bad)
    assert code == 1
    assert lines == [
        "PASS 0.yaml: A table for four",
        "FAIL 1.yaml: A table for four: step 2: turn: expected Bob, found Ann",
        "1 passed, 1 failed",
    ]


@pytest.mark.parametrize(
    "text", ["", "---", "a: [", "[]", "5", "title: x", f"{TABLE}\nwhat: 1", "\udcff\udcfe", f"{TABLE}\ntitle: y"]
)
def test_the_command_tells_which_file_does_not_fit(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = run(tmp_path, capsys, text, TABLE)
    assert code == 2
    assert lines[0].startswith("UNFIT 0.yaml: ")
    assert lines[1:] == ["PASS 1.yaml: A table for four", "1 passed, 0 failed"]


def test_the_command_tells_of_files_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenario", str(tmp_path), str(tmp_path / "nowhere.yaml")]) == 2
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["UNFIT", "UNFIT", "0"]


def test_a_title_stays_on_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = run(tmp_path, capsys, TABLE.replace("A table for four", '"Two\\nlines"'))
    assert (code, lines[0]) == (0, "PASS 0.yaml: Two lines")


def test_whatever_may_be_expected_is_checked() -> None:
    from core.scenario import form, stage

    assert list(form.EXPECTATIONS) == list(stage.CHECKS)
