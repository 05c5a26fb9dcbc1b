"""The rarer statements, as SQL: the heartbeat and what an outage moves, what is forgotten, what moves with its chat."""

from __future__ import annotations

# The heartbeat is the real time: what the clock was moved by is no outage.
SILENT = (
    "select extract(epoch from clock_timestamp() - (value #>> '{}')::timestamptz) from meta where key = 'heartbeat'"
)

BEAT = """
with before as (select (value #>> '{}')::timestamptz as at from meta where key = 'heartbeat' for update),
beat as (insert into meta (key, value) values ('heartbeat', to_jsonb(clock_timestamp()))
    on conflict (key) do update set value = excluded.value)
select extract(epoch from clock_timestamp() - at) from before union all select 0 where not exists (select from before)
"""

FORGIVE = """
update games set
    next_at = case when cast(:tell as text) is null or status = 'paused' then next_at + make_interval(secs => :gap)
        else stay_away_now() end,
    timers = coalesce((
            select jsonb_agg(t || jsonb_build_object('at', (t ->> 'at')::timestamptz + make_interval(secs => :gap)))
            from jsonb_array_elements(timers) t), '[]')
        || case when cast(:tell as text) is null then '[]'::jsonb
            else jsonb_build_array(jsonb_build_object('kind', cast(:tell as text), 'at', stay_away_now())) end,
    memo = memo || jsonb_build_object('stopped', coalesce(memo -> 'stopped', '[]') || jsonb_build_array(
        jsonb_build_array(extract(epoch from stay_away_now()) - :gap, extract(epoch from stay_away_now()))))
where id in (select id from games where status in ('lobby', 'playing', 'paused') order by id for update)
returning id
"""

# What is said to a group beside its screens. Times are seconds since 1970, as the sender counts them.
AN_ASIDE = "insert into limits (chat_id, thread_id, sent) values (:chat, :aside, '{}') on conflict do nothing"
SAID = """
select extract(epoch from here.now)::float8,
    array(select extract(epoch from at)::float8 from unnest(a.sent) at where at > here.now - interval '1 minute'
        order by at),
    array(select extract(epoch from at)::float8 from unnest(l.sent) at where at > here.now - interval '1 minute'),
    coalesce(l.blocked_until > here.now, false)
from (select stay_away_now() as now) here
    join limits a on a.chat_id = :chat and a.thread_id = :aside
    left join limits l on l.chat_id = a.chat_id and l.thread_id = 0
for update of a"""
SAY_ASIDE = """
update limits set sent = array(select to_timestamp(at) from unnest(cast(:said as float8[])) at)
where chat_id = :chat and thread_id = :aside"""

PRUNE = (
    "delete from updates where at < stay_away_now() - interval '7 days'",
    "delete from failures where at < stay_away_now() - interval '30 days'",
    "delete from limits where coalesce(blocked_until, '-infinity') < stay_away_now()"
    " and coalesce((select max(at) from unnest(sent) at), '-infinity') < stay_away_now() - interval '1 hour'",
    # A deleted message's screen, and the screens of a game that ended a week ago.
    "delete from screens s using games g where g.id = s.game_id and not s.wanting and (s.gone"
    " and coalesce(s.tried_at, g.touched_at) < stay_away_now() - interval '1 day'"
    " or g.ended_at < stay_away_now() - interval '7 days')",
)

# What need not be said again where messages were lost with their chat: tales that were told, and everything that was
# in order in a game that is over.
_TOLD = """(s.once and s.shown_post = s.post
    or not s.wanting and g.status not in ('lobby', 'playing', 'paused'))"""

# In the order in which a press locks: games, then the rest. Where both chats have an open game, the one that plays, or
# else the older, keeps the place.
MIGRATE = (
    "select id from games where chat_id in (:old, :new) order by id for update",
    """
    update games g set status = 'called_off', ended_at = stay_away_now(), next_at = null
    where g.chat_id in (:old, :new) and g.status in ('lobby', 'playing', 'paused') and exists (
        select from games o where o.chat_id in (:old, :new) and o.chat_id <> g.chat_id and o.thread_id = g.thread_id
            and o.status in ('lobby', 'playing', 'paused')
            and (o.status = 'lobby', o.id) < (g.status = 'lobby', g.id))
    """,
    # What stood still for want of the old chat goes on in the new one (the clock looks whether it can). Old buttons say
    # from which chat they come, so each game keeps where it was.
    """
    update games set chat_id = :new,
        memo = memo || jsonb_build_object('was', coalesce(memo -> 'was', '[]') || to_jsonb(cast(:old as bigint))),
        next_at = case when status = 'paused' and memo ->> 'why' = 'away' then stay_away_now() else next_at end,
        timers = timers || case when status = 'paused' and memo ->> 'why' = 'away'
            then jsonb_build_array(jsonb_build_object('kind', 'open', 'at', stay_away_now())) else '[]' end
    where chat_id = :old
    """,
    # What was called off above must not look open any more.
    """
    update screens s set gone = true, refused = null, attempts = 0, not_before = null from games g
    where g.id = s.game_id and g.chat_id = :new and g.status = 'called_off' and g.ended_at = stay_away_now()
        and s.receiver = 0 and not s.gone
    """,
    f"""
    update screens s set chat_id = :new, message_id = null, leftovers = '[]', trying = null, attempts = 0,
        shown_post = case when {_TOLD} then s.shown_post else 0 end,
        pinned = s.pin and {_TOLD}, pin_refused = false
    from games g where g.id = s.game_id and s.receiver = 0 and s.chat_id = :old
    """,
    """
    insert into limits (chat_id, thread_id, sent, blocked_until, why)
    select :new, thread_id, sent, blocked_until, why from limits
    where chat_id = :old and coalesce(why, '') not in ('left', 'muted')
    on conflict do nothing
    """,
    "delete from limits where chat_id = :old",
    """
    insert into callers (chat_id, thread_id, person_id, at)
    select :new, thread_id, person_id, at from callers where chat_id = :old
    on conflict do nothing
    """,
    "delete from callers where chat_id = :old",
    # What a group refused, a supergroup may not.
    "delete from roads where chat_id = :old",
    """
    insert into chats (id, title, kind, settings, road)
    select :new, title, 'supergroup', settings, 'unknown' from chats where id = :old
    on conflict (id) do update set settings = coalesce(chats.settings, excluded.settings)
    """,
    """
    insert into chats as c (id, migrated_to) values (:old, :new)
    on conflict (id) do update set migrated_to = :new where c.migrated_to is distinct from :new
    """,
)

TOPIC_GONE = (
    "select id from games where chat_id = :chat and thread_id in (0, :thread) order by id for update",
    """
    update games g set thread_id = 0 where g.chat_id = :chat and g.thread_id = :thread
        and (g.status not in ('lobby', 'playing', 'paused') or not exists (select from games o
            where o.chat_id = :chat and o.thread_id = 0 and o.status in ('lobby', 'playing', 'paused')))
    """,
    # What was shown there is gone with the topic.
    f"""
    update screens s set thread_id = 0, message_id = null, leftovers = '[]', trying = null, attempts = 0,
        shown_post = case when {_TOLD} then s.shown_post else 0 end,
        pinned = s.pin and {_TOLD}, pin_refused = false
    from games g where g.id = s.game_id and s.receiver = 0 and s.chat_id = :chat and s.thread_id = :thread
    """,
)
