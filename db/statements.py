"""The two statements of a press, as SQL: put together from parts and kept, so that a prepared one is met again."""

from __future__ import annotations

from functools import cache

from .records import ByGame, ByPlace
from .rows import AS_TEXT, COLUMNS, FIELDS

IS_OPEN = "g.status in ('lobby', 'playing', 'paused')"

# now, fresh, people, chat, road, number for a new game, and then the game's columns.
GAME_AT = 6

# The topic under which the limits of a group count what was said aside, to one member.
ASIDE = -1

_PEOPLE_AND_CHAT = """
    (select jsonb_agg(to_jsonb(p))::text from people p where p.id = any(
        array(select unnest(array[(seat ->> 'person')::bigint, (seat ->> 'sitter')::bigint])
            from jsonb_array_elements(g.roster) seat)
        || {person})),
    (select to_jsonb(c)::text from chats c where c.id = coalesce(g.chat_id, {chat})),
    (select jsonb_build_object('road', r.road, 'at', r.at, 'flooded', coalesce(l.blocked_until > here.now, false),
            'said', coalesce((select count(*) from unnest(l.sent || a.sent) at
                where at > here.now - interval '1 minute'), 0))
            ::text
        from (select coalesce(g.chat_id, {chat}) as chat, stay_away_now() as now) here
        left join roads r on r.person_id = {person} and r.chat_id = here.chat
        left join limits l on l.chat_id = here.chat and l.thread_id = 0
        left join limits a on a.chat_id = here.chat and a.thread_id = {aside})"""
_PEOPLE_AND_CHAT = _PEOPLE_AND_CHAT.replace("{aside}", str(ASIDE))

_WHERE: dict[type, str] = {
    ByGame: "g.id = %(game)s::bigint",
    ByPlace: f"g.chat_id = %(place)s::bigint and g.thread_id = %(thread)s::bigint and {IS_OPEN}",
}


@cache
def first(find: type, remembered: bool) -> str:
    """The first statement: remember the update, and if it is new lock its game and read what is around it.

    The game waits for the update's row by its condition: who repeats an update waits there, holding nothing.
    """
    fresh = (
        "insert into updates (update_id, at) values (%(update_id)s, stay_away_now()) on conflict do nothing returning 1"
        if remembered
        else "select 1"
    )
    around = _PEOPLE_AND_CHAT.format(person="%(person)s::bigint", chat="%(chat)s::bigint")
    where = _WHERE.get(find)
    if where is None:
        around = around.replace("g.roster", "'[]'::jsonb").replace("g.chat_id", "null::bigint")
        return f"""
with fresh as ({fresh})
select stay_away_now(), exists (select from fresh), {around}, null::bigint, null::bigint"""
    return f"""
with fresh as ({fresh}),
game as (select g.* from games g where {where} and exists (select from fresh) for update)
select stay_away_now(), exists (select from fresh), {around}, null::bigint, {COLUMNS}
from (select 1) one left join game g on true"""


HOLD = "select pg_advisory_xact_lock(hashtextextended(%(place)s::text || '/' || %(thread)s::text, 0))"

LOOK_AGAIN = f"""
with game as (select g.* from games g where {_WHERE[ByPlace]} for update)
select stay_away_now(), true, {_PEOPLE_AND_CHAT.format(person="%(person)s::bigint", chat="%(chat)s::bigint")},
    case when g.id is null then nextval('game_ids') end, {COLUMNS}
from (select 1) one left join game g on true"""

DUE = f"""
with game as (
    select g.* from games g where g.next_at <= stay_away_now() and g.rules_v <= %(rules_v)s and g.state_v <= %(state_v)s
    order by g.next_at limit 1 for update skip locked)
select stay_away_now(), true, {_PEOPLE_AND_CHAT.format(person="null::bigint", chat="null::bigint")},
    null::bigint, {COLUMNS}
from game g"""

_WRITTEN = [name for name in FIELDS if name not in ("id", "created_at", "touched_at")] + ["next_at"]


def _value(name: str) -> str:
    return f"%({name})s::jsonb" if name in AS_TEXT else f"%({name})s"


_PARTS = {
    "new_game": f"""
        insert into games (id, created_at, touched_at, {", ".join(_WRITTEN)})
        values (%(id)s, %(now)s, %(now)s, {", ".join(map(_value, _WRITTEN))})""",
    "game": f"""
        update games set touched_at = %(now)s, {", ".join(f"{name} = {_value(name)}" for name in _WRITTEN)}
        where id = %(id)s""",
    "seats": """
        insert into seats (game_id, person_id) select %(id)s, unnest(%(seated)s::bigint[])
        on conflict do nothing""",
    "seats_left": """
        delete from seats where game_id = %(id)s and person_id <> all(%(seated)s::bigint[])""",
    "answers": """
        insert into answers (game_id, version, seat, choice, by, at)
        select %(id)s, version, seat, choice, by, %(now)s
        from jsonb_to_recordset(%(new_answers)s::jsonb) as a(version int, seat text, choice jsonb, by text)""",
    "events": """
        insert into events (game_id, seq, turn, event, at) select %(id)s, seq, turn, event, %(now)s
        from jsonb_to_recordset(%(events)s::jsonb) as e(seq int, turn int, event jsonb)""",
    # `post` carries "anew" through to the conflict: 1, or 2. A text that was refused for its form is not tried again,
    # and a tale that was perhaps sent only when it is posted anew.
    "screens": """
        insert into screens as s (game_id, kind, receiver, chat_id, thread_id, wanted, wanted_hash, ring, once, pin,
            post, refused, due)
        select %(id)s, kind, receiver, chat_id, thread_id, wanted, hash, ring, once, pin, 1 + anew::int, refused,
            nextval('screens_due')
        from jsonb_to_recordset(%(screens)s::jsonb) as w(kind text, receiver bigint, chat_id bigint, thread_id bigint,
            wanted jsonb, hash text, ring bool, once bool, pin bool, anew bool, refused text)
        on conflict (game_id, kind, receiver) do update set
            chat_id = excluded.chat_id, thread_id = excluded.thread_id, wanted = excluded.wanted,
            wanted_hash = excluded.wanted_hash, ring = excluded.ring, once = excluded.once, pin = excluded.pin,
            wanted_rev = s.wanted_rev + (s.wanted_hash <> excluded.wanted_hash)::int,
            post = s.post + excluded.post - 1,
            gone = false,
            due = case when s.wanting and excluded.post = 1 then s.due else excluded.due end,
            refused = case
                when s.refused = 'perhaps sent' and excluded.post = 1 then s.refused
                when s.refused <> 'road' and excluded.refused is null and excluded.post = 1
                    and s.wanted_hash = excluded.wanted_hash then s.refused
                else excluded.refused end,
            attempts = 0, not_before = null
        where s.wanted_hash <> excluded.wanted_hash or s.pin <> excluded.pin or s.gone or excluded.post > 1
            or (s.refused is distinct from excluded.refused and (s.refused = 'road' or excluded.refused = 'road'))""",
    "gone": """
        update screens s set gone = true, refused = case when s.refused = 'road' then s.refused end,
            attempts = 0, not_before = null,
            due = case when s.wanting then s.due else nextval('screens_due') end
        from jsonb_to_recordset(%(gone)s::jsonb) as w(kind text, receiver bigint)
        where s.game_id = %(id)s and s.kind = w.kind and s.receiver = w.receiver and not s.gone""",
    "people": """
        insert into people as p (id, name, username, language, private, seen_at)
        select id, name, username, language, private, %(now)s
        from jsonb_to_recordset(%(people)s::jsonb)
            as w(id bigint, name text, username text, language text, private text)
        order by id
        on conflict (id) do update set name = excluded.name, username = excluded.username,
            language = excluded.language, seen_at = excluded.seen_at,
            private = case when excluded.private = 'unknown' then p.private else excluded.private end""",
    # A row is changed once in a statement: what this press itself wants is left to its own part.
    # In the order in which they were wanted: a hand of one game came before that of another.
    "roads": """
        update screens s set refused = null, attempts = 0, due = again.due from (
            select game_id, kind, receiver, nextval('screens_due') as due from (
                select w.game_id, w.kind, w.receiver from screens w join games g on g.id = w.game_id
                where w.receiver = any(%(roads)s::bigint[]) and w.refused = 'road'
                    and g.status in ('lobby', 'playing', 'paused')
                    and not (w.game_id = %(here)s and w.kind = any(%(kinds)s::text[]))
                order by w.due) in_order) again
        where (s.game_id, s.kind, s.receiver) = (again.game_id, again.kind, again.receiver) and s.refused = 'road'""",
    "chat": """
        insert into chats as c (id, title, kind, settings, rights, road, migrated_to, left_at)
        select id, title, kind, settings, rights, road, migrated_to,
            case when road in ('left', 'muted') then coalesce(left_at, %(now)s) end
        from jsonb_to_record(%(chat)s::jsonb) as w(id bigint, title text, kind text, settings jsonb, rights jsonb,
            road text, migrated_to bigint, left_at timestamptz)
        on conflict (id) do update set title = excluded.title, kind = excluded.kind, settings = excluded.settings,
            rights = excluded.rights, road = excluded.road, migrated_to = excluded.migrated_to,
            left_at = excluded.left_at""",
    # Looks within a quarter of an hour are one sitting: who opens the hand first still hears of the night.
    "looks": """
        insert into looks as l (game_id, person_id, seq, at) values (%(id)s, %(looker)s, %(seen)s, %(now)s)
        on conflict (game_id, person_id) do update set
            before = case when l.at < excluded.at - interval '15 minutes' then l.seq else l.before end,
            seq = greatest(l.seq, excluded.seq), at = excluded.at""",
    "caller": """
        insert into callers (chat_id, thread_id, person_id, at)
        values (%(place)s, %(thread)s, %(caller)s, %(now)s) on conflict do nothing""",
    "no_caller": """
        delete from callers where chat_id = %(place)s and thread_id = %(thread)s and person_id = %(caller)s""",
    "callers_served": """
        delete from callers where chat_id = %(place)s and thread_id = %(thread)s
            and (at <= %(opened)s or person_id = any(%(sitting)s::bigint[]))""",
    "aside": f"""
        insert into limits as l (chat_id, thread_id, sent) values (%(aside)s, {ASIDE}, array[%(now)s::timestamptz])
        on conflict (chat_id, thread_id) do update set sent = excluded.sent || array(
            select at from unnest(l.sent) at where at > %(now)s::timestamptz - interval '1 minute')""",
    "chat_back": """
        delete from limits where chat_id = %(chat_back)s and why in ('left', 'muted')""",
}


@cache
def second(parts: tuple[str, ...]) -> str:
    """The second statement: everything that a press has left to write, each in a part of its own."""
    if "seats" in parts:
        parts += ("seats_left",)
    return "with " + ",\n".join(f"part_{name} as ({_PARTS[name]})" for name in parts) + "\nselect 1"
