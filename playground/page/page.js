// The page of the playground: draws what the control API says, and does what a thumb would do.
// Everything people wrote goes through textContent; names and texts are isolated, so that no mark in them can turn the page round.

const $ = (id) => document.getElementById(id);
const el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") node.className = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((c) => c != null && c !== false));
  return node;
};
const sign = (name, title) => el("span", { class: `sign ${name}`, title, role: "img", "aria-label": title });
const bdi = (text, attributes = {}) => { const node = el("bdi", attributes); node.textContent = text; return node; };

let state = { people: [], bots: [], chats: [], clock: { now: 0, offset: 0 }, seq: 0, born: 0 };
let clockSkew = 0; // Telegram's time minus this browser's
const columns = new Map(); // key -> Column
const closed = new Set(JSON.parse(localStorage.getItem("closed") || "[]"));
const identities = JSON.parse(localStorage.getItem("identities") || "{}"); // group id -> person id
let chosen = Number(localStorage.getItem("group") || 0); // the group that is looked at, and its people with it

// --- talking to the server

async function control(path, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch("/control/" + path, options);
  } catch {
    throw new Error("The playground does not answer.");
  }
  const data = await answer.json().catch(() => ({ error: `The playground answered ${answer.status}.` }));
  if (!answer.ok) throw new Error(data.error || `The playground answered ${answer.status}.`);
  return data;
}

async function act(path, body) {
  try {
    return await control(path, body);
  } catch (problem) {
    note(problem.message);
    return null;
  }
}

function note(text) {
  const toast = el("div", { class: "toast" });
  toast.textContent = text;
  $("notes").append(toast);
  setTimeout(() => toast.remove(), 5000);
}

// --- who is who

const person = (id) => state.people.find((p) => p.id === id) || state.bots.find((b) => b.id === id);
const bot = () => state.bots[0];
const colour = (id) => Math.abs(id) % 7;

function initials(name) {
  const letters = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(name)].map((s) => s.segment);
  const words = name.split(/\s+/).filter((w) => /[\p{L}\p{N}]/u.test(w));
  if (words.length > 1) return [words[0], words[words.length - 1]].map((w) => w.match(/[\p{L}\p{N}]/u)[0]).join("").toUpperCase();
  return (words[0]?.match(/[\p{L}\p{N}]/u)?.[0] || letters[0] || "?").toUpperCase();
}

function avatar(id, name, small = false) {
  const node = el("span", { class: `avatar c${colour(id)}${small ? " small" : ""}`, "aria-hidden": "true" });
  node.textContent = initials(name || "?");
  return node;
}

// --- text with entities; offsets are UTF-16 units, as JavaScript counts

function rich(text, entities, column) {
  const sorted = [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  const fragment = document.createDocumentFragment();
  fill(fragment, text, 0, text.length, sorted, column);
  return fragment;
}

function fill(parent, text, start, end, entities, column) {
  let at = start;
  const left = [...entities];
  while (left.length) {
    const entity = left.shift();
    const from = Math.max(entity.offset, at);
    const to = Math.min(entity.offset + entity.length, end);
    if (from >= to) continue;
    if (from > at) parent.append(text.slice(at, from));
    const inside = left.filter((e) => e.offset < to);
    const node = mark(entity, text.slice(from, to), column);
    if (node.dataset?.done) delete node.dataset.done;
    else fill(node, text, from, to, inside, column);
    parent.append(node);
    at = to;
    // What reaches beyond this entity goes on after it.
    for (let i = left.length - 1; i >= 0; i--) if (left[i].offset + left[i].length <= to) left.splice(i, 1);
  }
  if (at < end) parent.append(text.slice(at, end));
}

function mark(entity, words, column) {
  switch (entity.type) {
    case "bold": return el("b");
    case "italic": return el("i");
    case "underline": return el("u");
    case "strikethrough": return el("s");
    case "code": return el("code");
    case "pre": return el("pre", { title: entity.language || "" });
    case "spoiler": return el("span", { class: "spoiler", title: "Tap to read", onclick: (e) => e.currentTarget.classList.add("open") });
    case "blockquote": return el("blockquote");
    case "expandable_blockquote":
      return el("blockquote", { class: "folds", onclick: (e) => e.currentTarget.classList.toggle("open") });
    case "text_mention": {
      const me = entity.user_id === column.viewer;
      return el("span", { class: "mention" + (me ? " me" : ""), title: entity.name, onclick: () => show(`p${entity.user_id}`) });
    }
    case "mention": {
      const named = state.people.find((p) => p.username && "@" + p.username.toLowerCase() === words.toLowerCase());
      const me = named && named.id === column.viewer;
      return el("span", { class: "mention" + (me ? " me" : ""), onclick: () => named && show(`p${named.id}`) });
    }
    case "bot_command":
      return el("span", { class: "command", onclick: () => column.write(words) });
    case "text_link": return link(entity.url, column);
    case "url": return link(words, column);
    case "email": return el("span", { class: "hashtag" });
    case "hashtag": case "cashtag": return el("span", { class: "hashtag" });
    case "date_time": {
      const node = el("time", { datetime: new Date(entity.unix_time * 1000).toISOString(), "data-format": entity.date_time_format || "",
        "data-unix": entity.unix_time, title: new Date(entity.unix_time * 1000).toLocaleString([], { dateStyle: "full", timeStyle: "long" }) });
      if (!entity.date_time_format) return node;
      node.textContent = moment(entity.unix_time, entity.date_time_format);
      node.dataset.done = "1";
      return node;
    }
    default: return el("span");
  }
}

function link(url, column) {
  const href = /^[a-z]+:/i.test(url) ? url : "https://" + url;
  return el("a", { href: /^(https?|tg):/i.test(href) ? href : "#", rel: "noreferrer noopener", target: "_blank", title: href,
    onclick: (e) => { e.preventDefault(); follow(href, column.viewer); } });
}

function moment(unix, format) {
  const date = new Date(unix * 1000);
  if (format === "r") {
    const seconds = Math.round(unix - (Date.now() / 1000 + clockSkew));
    const steps = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
    const [unit, size] = steps.find(([, s]) => Math.abs(seconds) >= s) || steps[3];
    return new Intl.RelativeTimeFormat([], { numeric: "auto" }).format(Math.round(seconds / size), unit);
  }
  const options = {};
  if (format.includes("w")) options.weekday = "long";
  if (format.includes("d")) Object.assign(options, { day: "2-digit", month: "2-digit", year: "2-digit" });
  if (format.includes("D")) Object.assign(options, { day: "numeric", month: "long", year: "numeric" });
  if (/t/i.test(format)) Object.assign(options, { hour: "2-digit", minute: "2-digit" });
  if (format.includes("T")) options.second = "2-digit";
  return date.toLocaleString([], options);
}

async function follow(url, viewer) {
  const user = /^tg:\/\/user\?id=(\d+)/.exec(url);
  if (user) return show(`p${user[1]}`);
  if (/[?&]startgroup=/.test(url)) return addToGroup(url, viewer);
  const answer = await act("open", { as: viewer, url, start: false });
  if (!answer) return;
  if (answer.opened !== "private") return note(`A link to the outside: ${url}`);
  const column = show(`p${viewer}`);
  if (column) {
    column.payload = /[?&]start=/.test(url) ? answer.payload || "" : null;
    column.drawFoot();
  }
}

// --- a chat on the page

class Column {
  constructor(key, chat, viewer) {
    this.key = key;
    this.chat = chat;
    this.viewer = viewer;
    this.messages = new Map();
    this.nodes = new Map();
    this.seq = 0;
    this.thread = null; // null: all topics
    this.payload = null;
    this.replyTo = null;
    this.busy = new Set();
    this.unread = 0;
    this.rings = 0;
    this.loading = Promise.resolve();
    this.build();
  }

  get info() {
    return state.chats.find((c) => this.isGroup ? c.id === this.chat : c.kind === "private" && c.person === this.viewer && c.bot === bot()?.id);
  }

  get isGroup() { return this.key.startsWith("g"); }

  get ref() { return this.isGroup ? this.chat : "private"; }

  build() {
    this.node = el("section", { class: `column ${this.isGroup ? "group" : "private"}`, "aria-label": "Chat" });
    this.head = el("div", { class: "head" });
    this.topics = el("div", { class: "topics", hidden: true });
    this.pin = el("button", { class: "pinned", hidden: true, onclick: () => this.jump(this.pinnedId) });
    this.wall = el("div", { class: "wall", tabindex: "0", role: "log", "aria-live": "off" });
    this.foot = el("div", { class: "foot" });
    this.toasts = el("div", { class: "toasts", "aria-live": "polite" });
    this.node.append(this.head, this.topics, this.pin, this.wall, this.foot, this.toasts);
    this.node.addEventListener("pointerdown", () => this.seen());
    this.node.addEventListener("focusin", () => this.seen());
  }

  seen() {
    if (this.unread || this.rings) {
      this.unread = this.rings = 0;
      drawTabs();
    }
  }

  // --- loading

  refresh(full = false) {
    this.loading = this.loading.then(() => this.load(full)).catch((problem) => console.warn(problem));
    return this.loading;
  }

  async load(full) {
    if (this.isGroup && !this.viewer) return this.draw();
    const since = full || !this.seq ? "" : `&since=${this.seq}`;
    const viewer = this.viewer;
    const data = await control(`chats/${this.isGroup ? this.chat : this.viewer}/messages?as=${viewer}${since}`).catch((problem) => {
      if (!this.isGroup || this.info?.members.some((m) => m.id === viewer)) throw problem;
      return null; // somebody who was never in this group: shown is the way in
    });
    if (!data) {
      this.messages.clear();
      this.seq = 0;
      return this.draw();
    }
    if (viewer !== this.viewer) return; // somebody else looks by now
    if (!since) this.messages.clear();
    for (const gone of data.gone || []) this.messages.delete(gone.ephemeral ? `e${gone.ephemeral}` : `m${gone.id}`);
    let before = null;
    if (!since && this.info?.migrated_from) {
      // A supergroup shows what was said in the group it was.
      before = await control(`chats/${this.info.migrated_from}/messages?as=${viewer}`).catch(() => null);
      for (const m of before?.messages || []) if (!m.service?.includes("supergroup")) this.messages.set(`o${m.id}`, m);
    }
    let news = 0;
    for (const m of data.messages) {
      const key = m.ephemeral ? `e${m.ephemeral}` : `m${m.id}`;
      const old = this.messages.get(key);
      if (!old && since) {
        if (!m.mine && !m.service) this.unread++;
        if (m.rang_me) this.rings++;
        m.fresh = true;
        news++;
      } else if (old && since) m.fresh = old.edits !== m.edits;
      this.messages.set(key, m);
    }
    this.seq = data.seq;
    this.draw(news > 0 || !since);
    drawTabs();
  }

  // --- drawing

  draw(scroll = false) {
    this.drawHead();
    this.drawPin();
    this.drawWall(scroll);
    this.drawFoot();
  }

  drawHead() {
    const info = this.info;
    let title, sub, face;
    if (this.isGroup) {
      if (!info) return;
      const present = info.members.filter((m) => m.status !== "kicked");
      const bots = present.filter((m) => m.is_bot).length;
      title = info.title;
      sub = `${present.length - bots} member${present.length - bots === 1 ? "" : "s"}, ${bots ? (bots > 1 ? `${bots} bots` : "1 bot") : "no bot"}`
        + (info.kind === "supergroup" ? "" : " · basic group");
      face = avatar(info.id, title);
    } else {
      const p = person(this.viewer);
      if (!p) return;
      title = p.name;
      sub = "private chat with the bot" + (info?.blocked ? " · blocked" : "") + (p.offline ? " · offline" : "");
      face = avatar(p.id, p.name);
    }
    const typing = this.action > Date.now();
    if (typing) sub = `${bot()?.name} is typing…`;
    const line = el("span", { class: "sub" + (typing ? " busy" : "") });
    line.textContent = sub;
    const topics = this.isGroup && info?.is_forum ? info.topics : [];
    const how = JSON.stringify([title, sub, typing, this.thread, topics]);
    if (how === this.headHow) return;
    this.headHow = how;
    this.head.replaceChildren(face, el("div", { class: "who" }, el("span", { class: "title" }, bdi(title)), line),
      el("button", { class: "icon", "aria-label": `Menu of ${title}`, onclick: (e) => this.menu(e) }, "⋮"),
      el("button", { class: "icon", "aria-label": `Hide ${title}`, title: "Hide this chat", onclick: () => hide(this.key) }, "×"));
    this.topics.hidden = !topics.length;
    const tab = (id, name, isClosed) => el("button", { class: "topic" + (this.thread === id ? " current" : ""),
      onclick: () => { this.thread = id; this.draw(true); } }, bdi(name), isClosed ? el("span", {}, " ", sign("lock", "closed")) : "");
    if (topics.length) this.topics.replaceChildren(tab(null, "All"), ...topics.map((t) => tab(t.id, t.name, t.closed)));
  }

  drawPin() {
    const pinned = this.info?.pinned || [];
    this.pinnedId = pinned[pinned.length - 1];
    const m = this.messages.get(`m${this.pinnedId}`);
    this.pin.hidden = !m;
    if (m) {
      const words = el("span");
      words.textContent = m.text.replace(/\s+/g, " ").slice(0, 120) || "Photo";
      const box = el("div", {}, el("b", {}, "Pinned message"), words);
      this.pin.replaceChildren(box);
    }
  }

  drawWall(scroll) {
    const wall = this.wall;
    const atEnd = wall.scrollHeight - wall.scrollTop - wall.clientHeight < 60;
    const replaced = new Set([...this.messages.values()].map((m) => m.replaces).filter(Boolean));
    const place = (m) => (m.replaces ? this.messages.get(`m${m.replaces}`)?.order ?? m.order : m.order);
    const shown = [...this.messages.values()].filter((m) => !(m.id && replaced.has(m.id)) &&
      (this.thread === null || (m.thread || 1) === this.thread)).sort((a, b) => place(a) - place(b));
    const before = this.nodes;
    this.nodes = new Map();
    // What did not change keeps its node: a press is not lost to a redraw, nor what is being read or selected.
    const keep = (key, m, how, make) => {
      const old = before.get(key);
      const kept = old && old.m === m && old.how === how ? old : { m, how, node: make() };
      this.nodes.set(key, kept);
      return kept.node;
    };
    const nodes = [];
    let day = "";
    shown.forEach((m, i) => {
      const today = new Date(m.date * 1000).toLocaleDateString([], { day: "numeric", month: "long" });
      if (today !== day) nodes.push(keep(`day ${today} ${m.order}`, null, "", () => el("div", { class: "day" }, today)));
      day = today;
      const key = m.ephemeral ? `e${m.ephemeral}` : `${m.chat}/${m.id}`;
      if (m.service) {
        nodes.push(keep(key, m, "", () => el("div", { class: "service", id: `${this.key}-${m.id}` }, bdi(m.service, { dir: "ltr" }))));
        return;
      }
      const same = (other) => other && !other.service && other.from.id === m.from.id && Math.abs(other.date - m.date) < 600
        && other.ephemeral === m.ephemeral;
      const first = !same(shown[i - 1]), last = !same(shown[i + 1]);
      nodes.push(keep(key, m, `${first} ${last} ${this.thread}`, () => this.bubble(m, first, last)));
    });
    if (!shown.some((m) => !m.service)) nodes.push(this.hint());
    let at = wall.firstChild;
    for (const node of nodes) {
      if (at === node) at = at.nextSibling;
      else wall.insertBefore(node, at);
    }
    while (at) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
    if (scroll || atEnd) wall.scrollTop = wall.scrollHeight;
  }

  hint() {
    if (this.isGroup) {
      const info = this.info;
      const me = person(this.viewer);
      if (me && !info?.members.some((m) => m.id === me.id)) return el("div", { class: "hint" }, el("p", {}, bdi(me.name), " is not in this group."));
      const here = info?.members.some((m) => m.is_bot && m.status !== "kicked");
      if (!here) return el("div", { class: "hint" }, el("p", {}, "The bot is not in this group."),
        el("button", { onclick: () => act(`groups/${this.chat}/add`, { person: "bot" }) }, "Add the bot"));
      return el("div", { class: "hint" }, el("p", {}, "Write ", el("b", {}, "/newgame"), " to open a game."),
        el("p", { class: "small" }, "You are everybody here: the picture beside the text field says who writes and who presses."),
        el("button", { onclick: () => this.write("/newgame") }, "/newgame"));
    }
    const description = this.info?.description || bot()?.description;
    const words = el("p", { class: "description" });
    words.textContent = description || "No messages here yet.";
    return el("div", { class: "hint" }, el("p", {}, el("b", {}, "What can this bot do?")), words);
  }

  bubble(m, first, last) {
    const row = el("div", { class: `row${m.mine ? " mine" : ""}${first ? " first" : ""}${last ? " last" : ""}${m.buttons.length ? " keyed" : ""}`
      + `${m.ephemeral ? " ephemeral" : ""}${m.rang_me ? " rang" : ""}`, id: `${this.key}-${m.ephemeral ? "e" + m.ephemeral : m.id}` });
    const bubble = el("div", { class: "bubble" + (m.fresh ? " fresh" : "") });
    m.fresh = false;
    if (m.ephemeral) bubble.append(el("div", { class: "only-you" }, sign("eye", ""), m.mine ? " Only the bot sees this" : " Only you see this"));
    if (this.isGroup && first && !m.mine) {
      const status = this.info?.members.find((x) => x.id === m.from.id)?.status;
      const sender = el("div", { class: `sender n${colour(m.from.id)}` }, bdi(m.from.name));
      if (["administrator", "creator"].includes(status)) sender.append(el("span", { class: "tag" }, status === "creator" ? "owner" : "admin"));
      else if (m.from.is_bot) sender.append(el("span", { class: "tag" }, "bot"));
      bubble.append(sender);
    }
    if (this.isGroup && this.thread === null && m.thread) {
      const topic = this.info?.topics?.find((t) => t.id === m.thread);
      if (topic) bubble.append(el("div", { class: "only-you" }, "# ", bdi(topic.name)));
    }
    if (m.reply_to) {
      const to = this.messages.get(`m${m.reply_to}`);
      if (to) {
        const quote = el("span");
        quote.textContent = (to.text || to.service || "").replace(/\s+/g, " ").slice(0, 80);
        bubble.append(el("div", { class: "reply", onclick: () => this.jump(m.reply_to) }, el("b", {}, bdi(to.from.name)), quote));
      }
    }
    if (m.photo) bubble.append(el("img", { src: m.photo, alt: m.text || "A picture", loading: "lazy" }));
    const text = el("div", { class: "text", dir: "auto" });
    text.append(rich(m.text, m.entities, this));
    const heard = m.rang.filter((r) => r.sound).map((r) => person(r.person)?.name).filter(Boolean);
    const meta = el("span", { class: "meta", dir: "ltr" });
    const icon = (words, title) => meta.append(el("span", { title }, words));
    if (heard.length) icon(sign("bell", `Rang for ${heard.join(", ")}`));
    if (m.silent && !m.mine) icon(sign("mute", "Sent without sound"));
    if (m.protected) icon(sign("shield", "Protected: it cannot be forwarded or saved"));
    if (m.pinned) icon(sign("pin", "Pinned"));
    if (m.edited) icon("edited", `${m.edits} edits`);
    icon(new Date(m.date * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }), new Date(m.date * 1000).toLocaleString());
    if (m.mine) icon("✓✓", "Delivered");
    text.append(meta);
    bubble.append(text);
    if (m.reactions) {
      const counts = new Map();
      for (const r of m.reactions) counts.set(r.emoji, (counts.get(r.emoji) || 0) + 1);
      bubble.append(el("div", { class: "reactions" }, ...[...counts].map(([e, n]) => el("span", {}, n > 1 ? `${e} ${n}` : e))));
    }
    bubble.addEventListener("contextmenu", (e) => { e.preventDefault(); this.messageMenu(m, e); });
    bubble.addEventListener("dblclick", () => this.answer(m));
    const stack = el("div", { class: "stack" }, bubble);
    if (m.buttons.length) {
      stack.append(el("div", { class: "keys" }, ...m.buttons.map((keys, r) => el("div", {}, ...keys.map((key, c) => this.key_(m, key, r, c))))));
    }
    if (this.isGroup && !m.mine) row.append(avatar(m.from.id, m.from.name, true));
    row.append(stack);
    return row;
  }

  key_(m, key, row, col) {
    const id = `${m.ephemeral ? "e" + m.ephemeral : m.id}/${row}/${col}`;
    const button = el("button", { class: `key ${key.style || ""} ${key.kind}${this.busy.has(id) ? " busy" : ""}`, disabled: key.kind === "disabled",
      title: key.kind === "url" ? key.url : key.kind === "disabled" ? "This button does nothing" : null,
      onclick: () => this.press(m, key, row, col, id) }, bdi(key.text));
    return button;
  }

  async press(m, key, row, col, id) {
    if (!this.viewer) return note("Choose who you are first.");
    if (key.kind === "url") return follow(key.url, this.viewer);
    if (key.kind === "copy") {
      await navigator.clipboard?.writeText(key.copy).catch(() => {});
      return this.toast("Copied to the clipboard");
    }
    if (this.busy.has(id)) return;
    this.busy.add(id);
    const paint = (on) => {
      const at = this.node.querySelector(`#${CSS.escape(`${this.key}-${m.ephemeral ? "e" + m.ephemeral : m.id}`)} .keys > div:nth-child(${row + 1}) > .key:nth-child(${col + 1})`);
      at?.classList.toggle("busy", on);
    };
    paint(true);
    const where = m.ephemeral ? { ephemeral: m.ephemeral } : { message: m.id };
    const answer = await act("press", { as: this.viewer, chat: m.chat === this.chat || !this.isGroup ? this.ref : m.chat, ...where, row, col, wait: 20 });
    this.busy.delete(id);
    paint(false);
    if (answer && !answer.answered) this.toast("The bot did not answer this press.");
    if (answer?.url) follow(answer.url, this.viewer);
  }

  // --- writing

  drawFoot() {
    const info = this.info;
    const focused = this.foot.contains(document.activeElement) && document.activeElement.tagName === "TEXTAREA";
    const draft = this.foot.querySelector("textarea")?.value ?? this.draft ?? "";
    const mine = this.isGroup && info?.members.find((m) => m.id === this.viewer)?.status;
    const keyboard = this.replyKeyboard();
    // Redrawn only when it would look different: who is typing keeps the caret.
    const how = JSON.stringify([info?.blocked, info?.started, person(this.viewer)?.deleted, person(this.viewer)?.name, this.payload, mine, this.viewer,
      this.replyTo?.id, keyboard?.textContent]);
    if (how === this.footHow) return;
    this.footHow = how;
    if (!this.isGroup && (info?.blocked)) {
      this.foot.replaceChildren(el("button", { class: "start", onclick: () => act(`people/${this.viewer}/unblock`, {}) }, "UNBLOCK"));
      return;
    }
    if (!this.isGroup && person(this.viewer)?.deleted) {
      this.foot.replaceChildren(el("div", { class: "note" }, "This account was deleted."));
      return;
    }
    if (!this.isGroup && (!info?.started || this.payload !== null)) {
      const start = async () => {
        const payload = this.payload || "";
        this.payload = null;
        await act(`people/${this.viewer}/start`, { payload });
      };
      this.foot.replaceChildren(el("button", { class: "start", onclick: start }, "START"));
      return;
    }
    const me = this.isGroup ? info?.members.find((m) => m.id === this.viewer && m.status !== "kicked") : true;
    const p = person(this.viewer);
    const face = this.isGroup ? el("button", { class: "identity", title: p ? `You are ${p.name}. Choose somebody else.` : "Choose who you are",
      "aria-label": p ? `You are ${p.name}. Choose somebody else` : "Choose who you are", onclick: (e) => this.chooseMe(e) },
      avatar(this.viewer || 0, p?.name || "?", true)) : null;
    if (this.isGroup && !me) {
      const join = el("button", { class: "start" }, p ? `JOIN AS ${p.name.toUpperCase()}` : "CHOOSE WHO YOU ARE");
      join.addEventListener("click", (e) => (p ? act(`groups/${this.chat}/join`, { person: p.id }) : this.chooseMe(e)));
      this.foot.replaceChildren(el("div", { class: "compose" }, face, join));
      return;
    }
    const area = el("textarea", { rows: 1, placeholder: this.isGroup ? `Write as ${p?.name}` : "Message", "aria-label": this.isGroup ? `Write as ${p?.name}` : `Write to the bot as ${p?.name}` });
    area.value = draft;
    const grow = () => { area.style.height = "34px"; area.style.height = Math.min(120, area.scrollHeight) + "px"; this.draft = area.value; };
    area.addEventListener("input", () => { grow(); this.suggest(area); });
    area.addEventListener("keydown", (e) => {
      const list = this.foot.querySelector(".suggestions");
      if (e.key === "Escape" && list) return list.remove();
      if (list && ["ArrowDown", "ArrowUp", "Tab"].includes(e.key)) {
        e.preventDefault();
        const all = [...list.children], now = all.findIndex((b) => b.classList.contains("current"));
        all[now]?.classList.remove("current");
        if (e.key === "Tab") return all[Math.max(0, now)]?.click();
        all[(now + (e.key === "ArrowDown" ? 1 : -1) + all.length) % all.length].classList.add("current");
        return;
      }
      if (e.key === "Enter" && !e.shiftKey && !e.isComposing) {
        e.preventDefault();
        const chosen = list?.querySelector(".current");
        if (chosen) return chosen.click();
        this.send(area);
      }
    });
    const commands = this.isGroup ? el("button", { class: "icon", title: "Commands", "aria-label": "Commands", onclick: () => { area.value = "/"; area.focus(); this.suggest(area); } }, "/")
      : el("button", { class: "menu-button", onclick: () => { area.value = "/"; area.focus(); this.suggest(area); } }, "Menu");
    const parts = [];
    if (this.replyTo) {
      const words = el("span");
      words.textContent = `${this.replyTo.from.name}: ${this.replyTo.text}`;
      parts.push(el("div", { class: "answering" }, "↩", words, el("button", { class: "icon", "aria-label": "Do not reply", onclick: () => { this.replyTo = null; this.drawFoot(); } }, "×")));
    }
    parts.push(el("div", { class: "compose" }, face, !this.isGroup && commands, area, this.isGroup && commands,
      el("button", { class: "icon send", "aria-label": "Send", onclick: () => this.send(area) }, "➤")));
    if (keyboard) parts.push(keyboard);
    this.foot.replaceChildren(...parts);
    if (focused) { area.focus(); area.setSelectionRange(area.value.length, area.value.length); }
    if (draft) grow();
  }

  replyKeyboard() {
    const last = [...this.messages.values()].filter((m) => m.reply_markup && (m.reply_markup.keyboard || m.reply_markup.remove_keyboard)).pop();
    if (!last?.reply_markup.keyboard) return null;
    return el("div", { class: "keyboard" }, ...last.reply_markup.keyboard.map((row) => el("div", {}, ...row.map((b) => {
      const words = typeof b === "string" ? b : b.text;
      return el("button", { onclick: () => this.write(words) }, bdi(words));
    }))));
  }

  async suggest(area) {
    const typed = area.value;
    if (!/^\/\w*$/.test(typed)) return this.foot.querySelector(".suggestions")?.remove();
    const data = await act(`commands?as=${this.viewer}&chat=${this.isGroup ? this.chat : "private"}`);
    this.foot.querySelector(".suggestions")?.remove();
    const fitting = (data?.commands || []).filter((c) => ("/" + c.command).startsWith(typed));
    if (!fitting.length || area.value !== typed) return;
    const list = el("div", { class: "pop up suggestions" }, ...fitting.map((c, i) => {
      const words = el("span", { class: "grow" }, el("b", {}, "/" + c.command), " ", el("span", { class: "dim" }));
      words.lastChild.textContent = c.description + (c.is_ephemeral ? " (only you see it)" : "");
      return el("button", { class: i ? "" : "current", onclick: () => { area.value = this.draft = ""; list.remove(); this.write("/" + c.command + (this.isGroup ? "@" + c.bot : "")); } },
        avatar(bot().id, bot().name, true), words);
    }));
    this.foot.append(list);
  }

  async send(area) {
    const words = area.value;
    if (!words.trim()) return;
    area.value = this.draft = "";
    area.style.height = "34px";
    this.foot.querySelector(".suggestions")?.remove();
    await this.write(words);
  }

  async write(words) {
    if (!this.viewer) return note("Choose who you are first.");
    const reply = this.replyTo?.id || 0;
    this.replyTo = null;
    const sent = await act("write", { as: this.viewer, chat: this.ref, text: words, thread: this.thread || 0, reply_to: reply });
    this.drawFoot();
    if (!sent) {
      this.draft = words;
      const area = this.foot.querySelector("textarea");
      if (area) area.value = words;
    }
  }

  answer(m) {
    if (m.ephemeral || m.chat !== (this.isGroup ? this.chat : this.viewer)) return;
    this.replyTo = m;
    this.drawFoot();
    this.foot.querySelector("textarea")?.focus();
  }

  chooseMe(e) {
    const inside = new Map(this.info.members.map((m) => [m.id, m]));
    const item = (p) => el("button", { class: p.id === this.viewer ? "current" : "", onclick: () => become(this, p.id) }, avatar(p.id, p.name, true), el("span", { class: "grow" }, bdi(p.name)));
    const members = state.people.filter((p) => !p.deleted && inside.has(p.id) && inside.get(p.id).status !== "kicked");
    const others = state.people.filter((p) => !p.deleted && !members.includes(p));
    popup(this.foot, "up", [el("h4", {}, "In this group I am"), ...members.map(item), others.length ? el("h4", {}, "Not in this group") : null, ...others.map(item),
      el("hr"), el("button", { onclick: () => newPerson(this.chat) }, "+ A new person joins")], e);
  }

  // --- menus

  menu(e) {
    const info = this.info;
    const item = (words, doing, bad = false) => el("button", { class: bad ? "bad" : "", onclick: doing }, words);
    const items = [];
    if (this.isGroup) {
      const me = person(this.viewer);
      const botMember = info.members.find((m) => m.id === bot().id);
      const inside = botMember && botMember.status !== "kicked";
      if (me && info.members.some((m) => m.id === me.id && m.status !== "kicked")) items.push(item(`${me.name} leaves`, () => act(`groups/${this.chat}/leave`, { person: me.id })));
      items.push(item("Members…", () => membersDialog(this.chat)), item("Add people…", () => addDialog(this.chat)), el("hr"));
      if (!inside) items.push(item("Add the bot", () => act(`groups/${this.chat}/add`, { person: "bot" })));
      else {
        items.push(botMember.status === "administrator" ? item("Take the bot's rights", () => act(`groups/${this.chat}/demote`, { person: "bot" }))
          : item("Make the bot an administrator", () => act(`groups/${this.chat}/promote`, { person: "bot" })));
        items.push(botMember.status === "restricted" ? item("Let the bot write again", () => act(`groups/${this.chat}/demote`, { person: "bot" }))
          : item("Forbid the bot to write", () => act(`groups/${this.chat}/restrict`, { person: "bot" })));
        items.push(item("Remove the bot", () => act(`groups/${this.chat}/remove`, { person: "bot" }), true));
      }
      items.push(el("hr"), item("New topic…", () => topicDialog(this.chat)));
      if (this.thread && this.thread !== 1) {
        const topic = info.topics.find((t) => t.id === this.thread);
        items.push(item(topic?.closed ? "Reopen this topic" : "Close this topic", () => act(`groups/${this.chat}/topics/${this.thread}/${topic?.closed ? "reopen" : "close"}`, {})),
          item("Delete this topic", () => { act(`groups/${this.chat}/topics/${this.thread}/delete`, {}); this.thread = null; }, true));
      }
      if (info.kind === "group") items.push(item("Make it a supergroup", () => act(`groups/${this.chat}/upgrade`, {})));
    } else {
      const p = person(this.viewer);
      items.push(info?.blocked ? item("Unblock the bot", () => act(`people/${p.id}/unblock`, {})) : item("Block the bot", () => act(`people/${p.id}/block`, {})),
        item("Rename…", () => renameDialog(p)), el("hr"));
      for (const group of state.chats.filter((c) => c.kind !== "private" && !c.migrated_to && !c.gone)) {
        const inside = group.members.some((m) => m.id === p.id && m.status !== "kicked");
        items.push(inside ? item(el("span", {}, "Leave ", bdi(group.title)), () => act(`groups/${group.id}/leave`, { person: p.id })) : item(el("span", {}, "Join ", bdi(group.title)), () => act(`groups/${group.id}/join`, { person: p.id })));
      }
      items.push(el("hr"), item(p.offline ? "Come online" : "Go offline", () => act(`people/${p.id}`, { offline: !p.offline })),
        item("Restart the app", () => act(`people/${p.id}/restart`, {})), item("Delete the account", () => act(`people/${p.id}/delete`, {}), true));
    }
    popup(this.node, "down", items, e);
  }

  messageMenu(m, e) {
    const item = (words, doing, bad = false) => el("button", { class: bad ? "bad" : "", onclick: doing }, words);
    const items = [];
    if (!m.ephemeral) {
      items.push(item("Reply", () => this.answer(m)));
      items.push(m.pinned ? item("Unpin", () => act("unpin", { as: this.viewer, chat: this.ref, message: m.id })) : item("Pin", () => act("pin", { as: this.viewer, chat: this.ref, message: m.id, silent: true })));
      for (const sign of ["👍", "❤", "😱"]) items.push(item(`React ${sign}`, () => act("react", { as: this.viewer, chat: this.ref, message: m.id, emoji: sign })));
      items.push(item("Delete", () => act("delete", { as: this.viewer, chat: this.ref, message: m.id }), true));
    }
    if (!m.protected) items.push(item("Copy the text", () => navigator.clipboard?.writeText(m.text)));
    if (items.length) popup(this.node, "down", items, e, true);
  }

  jump(id) {
    const node = this.node.querySelector(`#${CSS.escape(`${this.key}-${id}`)}`);
    node?.scrollIntoView({ block: "center", behavior: "smooth" });
    node?.querySelector(".bubble")?.classList.add("fresh");
  }

  toast(text, from = "") {
    const toast = el("div", { class: "toast", "data-to": from });
    toast.textContent = text;
    for (const older of [...this.toasts.children]) if (older.dataset.to === from) older.remove(); // one at a time, as in the app
    if (from) toast.prepend(el("small", {}, "to ", bdi(from)));
    this.toasts.append(toast);
    setTimeout(() => toast.remove(), 4500);
  }

  alert(text, from = "") {
    const words = el("p", { dir: "auto" });
    words.textContent = text;
    const box = el("div", { class: "alert", role: "alertdialog", "aria-label": "Alert" });
    const ok = el("button", { class: "ok", onclick: () => box.remove() }, "OK");
    box.append(el("div", {}, el("h3", {}, from ? el("span", {}, `${bot()?.name} to `, bdi(from)) : bdi(bot()?.name || "")), words, ok));
    box.addEventListener("keydown", (e) => e.key === "Escape" && box.remove());
    this.node.append(box);
    ok.focus({ preventScroll: true });
  }
}

function popup(parent, where, items, event, atPointer = false) {
  document.querySelectorAll(".pop").forEach((p) => p.remove());
  event.stopPropagation();
  const pop = el("div", { class: `pop ${where}`, role: "menu" }, ...items.filter(Boolean));
  parent.append(pop);
  if (atPointer) {
    const box = parent.getBoundingClientRect();
    pop.style.right = "auto";
    pop.style.left = Math.max(6, Math.min(event.clientX - box.left, box.width - pop.offsetWidth - 8)) + "px";
    pop.style.top = Math.max(6, Math.min(event.clientY - box.top, box.height - pop.offsetHeight - 8)) + "px";
  }
  const close = (e) => {
    if (e.type === "keydown" && e.key !== "Escape") return;
    if (e.type === "pointerdown" && pop.contains(e.target)) return;
    pop.remove();
    removeEventListener("pointerdown", close, true);
    removeEventListener("keydown", close, true);
  };
  pop.addEventListener("click", () => pop.remove());
  addEventListener("pointerdown", close, true);
  addEventListener("keydown", close, true);
}

function become(column, id) {
  column.viewer = identities[column.chat] = id;
  localStorage.setItem("identities", JSON.stringify(identities));
  column.replyTo = null;
  column.refresh(true);
}

// --- dialogs

function dialog(title, fields, doing, label = "OK") {
  const box = $("dialog");
  const form = el("form", { method: "dialog" }, el("h2", {}, title), ...fields,
    el("div", { class: "buttons" }, label !== "Close" && el("button", { type: "button", class: "plain", onclick: () => box.close() }, "Cancel"), el("button", { class: "wide", type: "submit" }, label)));
  form.addEventListener("submit", (e) => { e.preventDefault(); box.close(); doing(form); });
  box.replaceChildren(form);
  box.showModal();
  form.querySelector("input")?.focus();
}

const field = (label, name, value = "", more = {}) => el("label", {}, label, el("input", { type: "text", name, value, autocomplete: "off", ...more }));

function newPerson(group = null) {
  const groups = state.chats.filter((c) => c.kind !== "private" && !c.migrated_to && !c.gone);
  dialog("A new person", [field("Name", "name", "", { required: true, maxlength: 64 }), field("Last name (may be empty)", "last_name"), field("@username (may be empty)", "username"),
    el("label", {}, "Language", el("select", { name: "language" }, ...["en", "de", "ru", "es", "fr", "uk", "ar"].map((l) => el("option", { value: l }, l)))),
    ...groups.map((g) => el("label", { class: "check" }, el("input", { type: "checkbox", name: "group", value: g.id, checked: group === g.id || (group === null && g === groups[0]) }), el("span", {}, "joins ", bdi(g.title))))],
    async (form) => {
      const data = new FormData(form);
      const made = await act("people", { name: data.get("name"), last_name: data.get("last_name"), username: data.get("username"), language: data.get("language"),
        groups: data.getAll("group").map(Number) });
      if (made && group !== null) become(columns.get(`g${group}`), made.id);
    }, "Add");
}

function addDialog(group) {
  const info = state.chats.find((c) => c.id === group);
  const others = state.people.filter((p) => !p.deleted && !info.members.some((m) => m.id === p.id && m.status !== "kicked"));
  if (!others.length) return newPerson(group);
  dialog("Add people", [el("div", { class: "list" }, ...others.map((p) => el("label", { class: "check" }, el("input", { type: "checkbox", name: "who", value: p.id }), avatar(p.id, p.name, true), bdi(p.name)))),
    el("button", { type: "button", class: "plain", onclick: () => { $("dialog").close(); newPerson(group); } }, "+ A new person")],
    async (form) => { for (const id of new FormData(form).getAll("who")) await act(`groups/${group}/add`, { person: Number(id) }); }, "Add");
}

function membersDialog(group) {
  const info = state.chats.find((c) => c.id === group);
  const row = (m) => {
    const choose = el("select", { "aria-label": `What becomes of ${m.name}` }, ...["—", "make administrator", "make anonymous administrator", "make member", "forbid to write", "remove", "ban", "unban"].map((w) => el("option", {}, w)));
    choose.addEventListener("change", async () => {
      const body = { person: m.id };
      const path = { "make administrator": "promote", "make anonymous administrator": "promote", "make member": "demote", "forbid to write": "restrict", remove: "remove", ban: "ban", unban: "unban" }[choose.value];
      if (choose.value.includes("anonymous")) body.anonymous = true;
      if (path) await act(`groups/${group}/${path}`, body);
      $("dialog").close();
    });
    return el("div", { class: "check" }, avatar(m.id, m.name, true), el("span", { class: "grow" }, bdi(m.name), " ", el("span", { class: "dim" }, m.status)), choose);
  };
  dialog("Members", [el("div", { class: "list" }, ...info.members.map(row))], () => {}, "Close");
}

function topicDialog(group) {
  dialog("A new topic", [field("Name", "name", "", { required: true, maxlength: 128 })], async (form) => {
    const made = await act(`groups/${group}/topics`, { name: new FormData(form).get("name") });
    if (made) { await refreshState(); const column = columns.get(`g${made.chat}`); if (column) { column.thread = made.thread; column.draw(true); } }
  }, "Create");
}

function addToGroup(url, viewer) {
  const groups = state.chats.filter((c) => c.kind !== "private" && !c.migrated_to && !c.gone);
  dialog("Add the bot to a group", [el("label", {}, "Group", el("select", { name: "group" }, ...groups.map((g) => el("option", { value: g.id }, g.title))))],
    async (form) => {
      const group = Number(new FormData(form).get("group"));
      if (await act("open", { as: viewer, url, group })) show(`g${group}`);
    }, "Add");
}

function renameDialog(p) {
  dialog("Rename", [field("Name", "name", p.first_name, { required: true }), field("Last name", "last_name", p.last_name), field("@username", "username", p.username)], (form) => {
    const data = new FormData(form);
    act(`people/${p.id}`, { name: data.get("name"), last_name: data.get("last_name"), username: data.get("username") });
  }, "Save");
}

function groupDialog() {
  dialog("A new group", [field("Title", "title", "", { required: true, maxlength: 128 }),
    el("label", {}, "Kind", el("select", { name: "kind" }, el("option", { value: "supergroup" }, "Supergroup"), el("option", { value: "group" }, "Basic group"), el("option", { value: "forum" }, "Supergroup with topics"))),
    el("label", { class: "check" }, el("input", { type: "checkbox", name: "bot", checked: true }), "with the bot"), el("label", { class: "check" }, el("input", { type: "checkbox", name: "admin" }), "the bot is an administrator"),
    el("div", { class: "list" }, ...state.people.filter((p) => !p.deleted).map((p) => el("label", { class: "check" }, el("input", { type: "checkbox", name: "who", value: p.id, checked: members(theGroup()).has(p.id) }), avatar(p.id, p.name, true), bdi(p.name))))],
    async (form) => {
      const data = new FormData(form);
      const kind = data.get("kind");
      const made = await act("groups", { title: data.get("title"), kind: kind === "forum" ? "supergroup" : kind, forum: kind === "forum", people: data.getAll("who").map(Number), bot: data.get("admin") ? "admin" : Boolean(data.get("bot")) });
      if (made) { await refreshState(); show(`g${made.id}`); }
    }, "Create");
}

// --- the whole page

function drawTabs() {
  const keys = wanted();
  const current = currentKey();
  const near = new Set(shown().map(({ key }) => key));
  $("tabs").replaceChildren(...keys.filter(({ key }) => key[0] === "g" || near.has(key)).map(({ key, id, title }) => {
    const column = columns.get(key);
    // Whose chat is not shown rings at the tab of the group.
    const away = key[0] !== "g" ? 0 : keys.filter((k) => !near.has(k.key) && members(id).has(k.id)).reduce((sum, k) => sum + (columns.get(k.key)?.rings || 0), 0);
    const rings = (column?.rings || 0) + away;
    const button = el("button", { class: `tab${key === current ? " current" : ""}${closed.has(key) ? " closed" : ""}`, title: closed.has(key) ? `Show ${title}` : title, onclick: () => show(key) }, avatar(id, title, true), bdi(title, { class: "label" }));
    if (rings) button.append(el("span", { class: "badge rings", title: "It rang" }, sign("bell", "It rang"), rings > 1 ? ` ${rings}` : ""));
    else if (column?.unread) button.append(el("span", { class: "badge" }, String(column.unread)));
    return button;
  }));
  if (current !== tabShown) $("tabs").querySelector(".current")?.scrollIntoView({ block: "nearest", inline: "center" });
  tabShown = current;
}
let tabShown = "";

function currentKey() {
  if (innerWidth > 720) return `g${theGroup()}`;
  const box = $("columns");
  const middle = box.scrollLeft + Math.min(box.clientWidth / 2, 200);
  let best = null;
  for (const [key, column] of columns) if (column.node.isConnected && column.node.offsetLeft - box.offsetLeft <= middle) best = key;
  return best;
}

function wanted() {
  const groups = state.chats.filter((c) => c.kind !== "private" && !c.migrated_to && !c.gone).map((c) => ({ key: `g${c.id}`, id: c.id, title: c.title }));
  return [...groups, ...state.people.map((p) => ({ key: `p${p.id}`, id: p.id, title: p.name }))];
}

const members = (group) => new Set(state.chats.find((c) => c.id === group)?.members.filter((m) => !["kicked", "left"].includes(m.status)).map((m) => m.id) || []);

// The group that was chosen; while it is hidden or gone, the first.
function theGroup() {
  const groups = wanted().filter(({ key }) => key[0] === "g");
  return groups.some(({ id }) => id === chosen) ? chosen : groups[0]?.id ?? 0;
}

// Side by side: one group, its people, and who is in no group.
function shown() {
  const group = theGroup();
  const here = members(group);
  const placed = new Set(state.chats.filter((c) => c.kind !== "private" && !c.migrated_to && !c.gone).flatMap((c) => [...members(c.id)]));
  return wanted().filter(({ key, id }) => (key[0] === "g" ? id === group : here.has(id) || !placed.has(id)));
}

function layout() {
  const keys = wanted();
  const near = new Set(shown().map(({ key }) => key));
  for (const [key, column] of columns) if (!keys.some((k) => k.key === key)) { column.node.remove(); columns.delete(key); }
  let before = null;
  for (const { key, id } of keys) {
    if (closed.has(key)) { columns.get(key)?.node.remove(); continue; }
    let column = columns.get(key);
    if (!column) {
      const isGroup = key[0] === "g";
      column = new Column(key, isGroup ? id : id, isGroup ? groupIdentity(id) : id);
      columns.set(key, column);
      column.refresh(true);
    } else if (column.isGroup && !person(column.viewer)) {
      column.viewer = groupIdentity(id);
      column.refresh(true);
    }
    if (!near.has(key)) { column.node.remove(); continue; }
    const next = before ? before.nextSibling : $("columns").firstChild;
    if (next !== column.node) {
      $("columns").insertBefore(column.node, next);
      column.wall.scrollTop = column.wall.scrollHeight; // a wall that comes back forgot where it was
    }
    before = column.node;
  }
  drawTabs();
}

function groupIdentity(id) {
  const info = state.chats.find((c) => c.id === id);
  const members = info?.members.filter((m) => !m.is_bot && m.status !== "kicked" && person(m.id) && !person(m.id).deleted) || [];
  const remembered = identities[id] ?? identities[info?.migrated_from];
  return members.some((m) => m.id === remembered) ? remembered : members[0]?.id ?? 0;
}

function show(key) {
  const id = Number(key.slice(1));
  if (key[0] === "g") chosen = id;
  else if (!shown().some((k) => k.key === key)) chosen = wanted().find((k) => k.key[0] === "g" && members(k.id).has(id))?.id ?? chosen;
  localStorage.setItem("group", chosen);
  if (closed.delete(key)) localStorage.setItem("closed", JSON.stringify([...closed]));
  layout();
  const column = columns.get(key);
  if (!column) return null;
  const box = $("columns");
  if (key[0] === "g") box.scrollTo({ left: 0 });
  else {
    // Beside the group, which stays where it is.
    const group = innerWidth > 720 ? columns.get(`g${theGroup()}`)?.node : null;
    const taken = group?.isConnected ? group.offsetWidth + 12 : 0;
    const left = column.node.offsetLeft - box.offsetLeft - (innerWidth > 720 ? 12 : 0) - taken;
    if (innerWidth <= 720 || left < box.scrollLeft || left + taken + column.node.offsetWidth > box.scrollLeft + box.clientWidth) box.scrollTo({ left });
  }
  column.node.classList.remove("flash");
  void column.node.offsetWidth;
  column.node.classList.add("flash");
  column.seen();
  return column;
}

function hide(key) {
  closed.add(key);
  localStorage.setItem("closed", JSON.stringify([...closed]));
  layout();
}

async function refreshState() {
  state = await control("state");
  clockSkew = state.clock.now - Date.now() / 1000;
  layout();
  for (const column of columns.values()) { column.drawHead(); column.drawPin(); column.drawFoot(); }
  tick();
}

const dirty = new Set();
let stateDirty = false, timer = 0;

function soon() {
  timer ||= setTimeout(async () => {
    timer = 0;
    const chats = [...dirty];
    dirty.clear();
    try {
      if (stateDirty) { stateDirty = false; await refreshState(); }
      for (const column of columns.values()) {
        const id = column.isGroup ? column.chat : column.viewer;
        if (chats.includes(id)) column.refresh();
        else if (chats.includes(`full ${id}`)) column.refresh(true);
      }
    } catch (problem) {
      console.warn(problem);
    }
  }, 25);
}

const STATE_EVENTS = new Set(["person", "chat", "member", "pin", "unpin", "settings", "clock", "webhook", "commands"]);

function heard(event) {
  if (STATE_EVENTS.has(event.kind)) stateDirty = true;
  if (event.kind === "answer") {
    const text = event.text;
    if (text) {
      for (const column of columns.values()) {
        const here = column.isGroup ? column.chat === event.chat : column.viewer === event.person && event.chat === event.person;
        if (!here) continue;
        const other = column.isGroup && column.viewer !== event.person ? person(event.person)?.name : "";
        if (event.show_alert && !other) column.alert(text);
        else column.toast(text, other);
      }
    }
    return;
  }
  if (event.kind === "action") {
    for (const column of columns.values()) {
      if ((column.isGroup ? column.chat : column.viewer) !== event.chat) continue;
      column.action = Date.now() + 5000;
      column.drawHead();
      setTimeout(() => column.drawHead(), 5100);
    }
    return;
  }
  if (event.kind === "message" || event.kind === "edit" || event.kind === "delete" || event.kind === "reaction" || event.kind === "pin" || event.kind === "unpin") {
    dirty.add(event.ephemeral ? `full ${event.chat}` : event.chat);
    if (event.kind === "message" && state.chats.some((c) => c.id === event.chat && c.kind === "private" && !c.started)) stateDirty = true;
    if (event.kind === "message" && !state.chats.some((c) => c.id === event.chat)) stateDirty = true;
  } else if (event.kind === "ephemeral") dirty.add(`full ${event.chat}`);
  else if (event.kind === "member") dirty.add(`full ${event.chat}`);
  // A ring in the group shows on the person's own tab too: it is their phone.
  const rings = (event.rings || []).filter((r) => r.sound);
  for (const ring of rings) {
    const column = columns.get(`p${ring.user_id}`);
    if (column && event.chat !== ring.user_id && columns.get(`g${event.chat}`)?.viewer !== ring.user_id) column.rings++;
  }
  if (rings.length) drawTabs();
  soon();
}

let stream = null, goneTimer = 0;

function listen() {
  stream?.close();
  stream = new EventSource("/control/events");
  stream.addEventListener("hello", async (e) => {
    const hello = JSON.parse(e.data);
    clearTimeout(goneTimer);
    $("gone").hidden = true;
    if (state.born && hello.born !== state.born) {
      for (const column of columns.values()) column.node.remove();
      columns.clear();
    }
    try {
      await refreshState();
      for (const column of columns.values()) column.refresh(true);
    } catch { /* the next hello tries again */ }
  });
  stream.onmessage = (e) => heard(JSON.parse(e.data));
  stream.onerror = () => {
    clearTimeout(goneTimer);
    goneTimer = setTimeout(() => { $("gone").hidden = false; }, 800); // a short break is none
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 1000);
  };
}

function tick() {
  const now = new Date((Date.now() / 1000 + clockSkew) * 1000);
  const offset = innerWidth > 720 ? Math.round(state.clock.offset / 60) : 0; // there is no room for it on a phone
  const moved = offset ? ` (+${offset >= 60 ? `${Math.floor(offset / 60)} h ` : ""}${offset % 60 ? `${offset % 60} min` : ""})`.replace(" )", ")") : "";
  $("clock").textContent = now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", ...(innerWidth > 720 ? { second: "2-digit" } : { hourCycle: "h23" }) }) + moved;
  document.querySelectorAll('time[data-format="r"]').forEach((t) => { t.textContent = moment(Number(t.dataset.unix), "r"); });
}

$("add-person").onclick = () => newPerson();
$("add-group").onclick = () => groupDialog();
$("forward").onclick = async (e) => {
  const seconds = Number(e.target.dataset.forward);
  if (!seconds) return;
  const answer = await act("clock", { forward: seconds });
  if (answer && !answer.bot_clock_moved) note(`Only this Telegram's clock moved: ${answer.why}.`);
};
$("dialog").addEventListener("click", (e) => { if (e.target === $("dialog")) $("dialog").close(); });
$("tabs").addEventListener("wheel", (e) => { if (!e.deltaX) $("tabs").scrollLeft += e.deltaY; }, { passive: true });
let scrolled = 0;
$("columns").addEventListener("scroll", () => { clearTimeout(scrolled); scrolled = setTimeout(() => { if (innerWidth <= 720) columns.get(currentKey())?.seen(); drawTabs(); }, 120); });
setInterval(tick, 1000);
listen();
