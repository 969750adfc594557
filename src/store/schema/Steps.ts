/**
 * The schema of the store: what a new one gets. There is one step as long as no release has been made; a store of a
 * program before it has lower versions and is refused (`Migrations`).
 */
import * as Dialect from "../clients/Dialect.js"

/** One numbered change of the schema. */
export interface Step {
  /** Steps are applied in the order of their versions; numbers may be missing between them. */
  readonly version: number
  /** What the step brings, in plain words. */
  readonly name: string
  /** A released statement is never edited: a new step follows it. */
  readonly sqlite: ReadonlyArray<string>
  /** The same for PostgreSQL, `Dialect.postgresOf(sqlite)` where nothing but the types differs. */
  readonly postgres: ReadonlyArray<string>
}

const open = `'planned', 'claimed', 'dispatching', 'accepted', 'unknown'`
const group = "policy, account, state"
/** States of changes that left and were not refused, whatever was found since. */
export const left = `'dispatching', 'accepted', 'unknown', 'applied', 'conflict', 'parked'`
// The id stands in it so that nothing but the index is read before it is known which changes are shown.
const place = "began_at, run_id, position, change_id"

/**
 * Runs and their changes, what was taken back, and the marks of `watch:` at which a change was found to be fine. `nth` counts the
 * changes of a slot as their runs began, so that a clock which is set right turns no order round.
 */
const journal = [
  `CREATE TABLE runs (
    run_id TEXT PRIMARY KEY, account TEXT NOT NULL, lane TEXT NOT NULL, plan_id TEXT NOT NULL,
    started_at INTEGER NOT NULL, finished_at INTEGER, status TEXT NOT NULL, counts TEXT NOT NULL, approved_by TEXT) STRICT`,
  `CREATE INDEX runs_by_start ON runs (started_at)`,
  `CREATE TABLE changes (
    run_id TEXT NOT NULL REFERENCES runs (run_id), change_id TEXT NOT NULL, position INTEGER NOT NULL,
    slot TEXT NOT NULL, account TEXT NOT NULL, policy TEXT NOT NULL, bid_before INTEGER, change TEXT NOT NULL,
    state TEXT NOT NULL, operation TEXT, request_hash TEXT, reason TEXT, updated_at INTEGER NOT NULL,
    sent_at INTEGER, is_edge INTEGER NOT NULL DEFAULT 0, memory TEXT, evidence TEXT, deadline_at INTEGER,
    began_at INTEGER NOT NULL DEFAULT 0, campaign_id INTEGER, nth INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run_id, change_id)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX changes_by_slot ON changes (account, slot, nth, sent_at)`,
  `CREATE INDEX changes_open ON changes (account, run_id, position) WHERE state IN (${open})`,
  `CREATE INDEX changes_refused ON changes (account, updated_at) WHERE state IN ('rejected', 'skipped')`,
  `CREATE INDEX changes_due ON changes (deadline_at) WHERE state IN (${open}, 'parked')`,
  `CREATE INDEX changes_of_slot ON changes
    (account, slot, state, is_edge, nth, sent_at, updated_at, policy, bid_before, memory)
    WHERE state IN (${left})`,
  `CREATE INDEX changes_of_campaign ON changes (campaign_id, ${group}, ${place})`,
  `CREATE INDEX changes_of_policy ON changes (${group}, ${place})`,
  `CREATE TABLE undoes (
    run_id TEXT NOT NULL, change_id TEXT NOT NULL, undone_run TEXT NOT NULL, undone_change TEXT NOT NULL,
    PRIMARY KEY (run_id, change_id),
    FOREIGN KEY (run_id, change_id) REFERENCES changes (run_id, change_id) ON DELETE CASCADE)
    STRICT, WITHOUT ROWID`,
  `CREATE INDEX undoes_of_run ON undoes (undone_run, undone_change)`,
  `CREATE TABLE watch_marks (
    run_id TEXT NOT NULL, change_id TEXT NOT NULL, after_ms INTEGER NOT NULL, judged_at INTEGER NOT NULL,
    PRIMARY KEY (run_id, change_id, after_ms),
    FOREIGN KEY (run_id, change_id) REFERENCES changes (run_id, change_id) ON DELETE CASCADE)
    STRICT, WITHOUT ROWID`,
  `CREATE TABLE locks (
    account TEXT NOT NULL, lane TEXT NOT NULL, holder TEXT NOT NULL, until INTEGER NOT NULL,
    epoch INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (account, lane)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE creations (
    id TEXT PRIMARY KEY, account TEXT NOT NULL, lane TEXT NOT NULL, operation TEXT NOT NULL, marker TEXT NOT NULL,
    request_hash TEXT NOT NULL, before_ids TEXT NOT NULL, state TEXT NOT NULL, found_id TEXT, reason TEXT,
    stored_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE INDEX creations_open ON creations (account, stored_at) WHERE state IN (${open})`
]

/** Plans, by when they were made: an edited one is looked for among 90 days of them, and old ones go. */
const plans = [
  `CREATE TABLE plans (
    plan_id TEXT PRIMARY KEY, account TEXT NOT NULL, created_at TEXT NOT NULL, plan BLOB NOT NULL) STRICT`,
  `CREATE INDEX plans_by_time ON plans (created_at, account)`,
  `CREATE TABLE day_snapshots (
    account TEXT NOT NULL, day TEXT NOT NULL, taken_at INTEGER NOT NULL,
    PRIMARY KEY (account, day)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE day_snapshot_parts (
    account TEXT NOT NULL, day TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, payload BLOB NOT NULL,
    UNIQUE (account, day, position),
    FOREIGN KEY (account, day) REFERENCES day_snapshots (account, day) ON DELETE CASCADE) STRICT`
]

/**
 * What rules remember: runs in a row that matched, figures of past runs and of which rules and rows, scarce answers, who was in a
 * promotion, what the calendar answered, what was expected of days and what came, what campaigns spent in which hours.
 */
const rules = [
  `CREATE TABLE holds (
    account TEXT NOT NULL, policy TEXT NOT NULL, meaning TEXT NOT NULL, target TEXT NOT NULL,
    rule INTEGER NOT NULL, runs INTEGER NOT NULL, counted_at INTEGER NOT NULL,
    PRIMARY KEY (account, policy, target)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE run_figures (
    account TEXT NOT NULL, at INTEGER NOT NULL, fact TEXT NOT NULL, rows INTEGER NOT NULL, active INTEGER NOT NULL,
    total REAL NOT NULL, rules TEXT NOT NULL DEFAULT '', rows_hash TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (account, at, fact)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE scarce_answers (
    account TEXT NOT NULL, source TEXT NOT NULL, key TEXT NOT NULL, read_at INTEGER NOT NULL,
    facts TEXT NOT NULL, PRIMARY KEY (account, source, key)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX scarce_answers_by_age ON scarce_answers (account, source, read_at)`,
  `CREATE TABLE promotion_members (
    account TEXT NOT NULL, promotion_id INTEGER NOT NULL, looked_at INTEGER NOT NULL, items TEXT NOT NULL,
    PRIMARY KEY (account, promotion_id)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE calendar_answers (
    account TEXT NOT NULL, question TEXT NOT NULL, read_at INTEGER NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (account, question)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE forecasts (
    account TEXT NOT NULL, policy TEXT NOT NULL, budget TEXT NOT NULL, day TEXT NOT NULL, made_at INTEGER NOT NULL,
    standing TEXT NOT NULL, expected TEXT NOT NULL, outcome TEXT, realised TEXT, forgiven_at INTEGER, forgiven_by TEXT,
    PRIMARY KEY (account, policy, budget, day)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE spend_curves (
    account TEXT NOT NULL, campaign_id INTEGER NOT NULL, read_at INTEGER NOT NULL, watched TEXT NOT NULL,
    PRIMARY KEY (account, campaign_id)) STRICT, WITHOUT ROWID`
]

/** Assembly: in which order the orders of a supply are worked on, and what happened to each order. */
const fulfilment = [
  // The only column that holds a mark whole.
  `CREATE TABLE order_marks (
    account TEXT NOT NULL, order_id INTEGER NOT NULL, mark_key TEXT NOT NULL, fingerprint TEXT NOT NULL,
    marks TEXT NOT NULL, kept_at INTEGER NOT NULL, PRIMARY KEY (account, order_id, mark_key, fingerprint))
    STRICT, WITHOUT ROWID`,
  `CREATE TABLE supply_orders (
    account TEXT NOT NULL, supply_id TEXT NOT NULL, position INTEGER NOT NULL, order_id INTEGER NOT NULL,
    stored_at INTEGER NOT NULL, PRIMARY KEY (account, supply_id, position),
    UNIQUE (account, supply_id, order_id)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE order_events (
    account TEXT NOT NULL, order_id INTEGER NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL,
    PRIMARY KEY (account, order_id, at, kind)) STRICT, WITHOUT ROWID`
]

/** Due times of jobs: what became due, which run took it, how it ended, and how often its plan was cut short. */
const timetable = [
  `CREATE TABLE due_times (
    account TEXT NOT NULL, lane TEXT NOT NULL, job TEXT NOT NULL, due_at INTEGER NOT NULL, since INTEGER NOT NULL,
    schedule TEXT NOT NULL, state TEXT NOT NULL, run_id TEXT, detail TEXT, attempts INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, cut_short INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account, lane, job, due_at)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX due_times_open ON due_times (account, lane, due_at) WHERE state IN ('waiting', 'running')`
]

/** What people have stopped: holds placed by hand, values set by hand, and changes that wait for a person. */
const people = [
  `CREATE TABLE operator_holds (
    account TEXT NOT NULL, kind TEXT NOT NULL, what TEXT NOT NULL, since INTEGER NOT NULL, ends_at INTEGER,
    placed_by TEXT NOT NULL, why TEXT, lifted_at INTEGER, lifted_by TEXT,
    PRIMARY KEY (account, kind, what, since)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE human_edits (
    account TEXT NOT NULL, slot TEXT NOT NULL, ours TEXT NOT NULL, written_at INTEGER NOT NULL, live TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL, lifted_at INTEGER, lifted_by TEXT,
    PRIMARY KEY (account, slot)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE approvals (
    approval_id TEXT PRIMARY KEY, account TEXT NOT NULL, plan BLOB NOT NULL, asked TEXT NOT NULL, state TEXT NOT NULL,
    requested_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, decided_at INTEGER, decided_by TEXT, why TEXT, run_id TEXT)
    STRICT, WITHOUT ROWID`,
  `CREATE INDEX approvals_by_account ON approvals (account, state, requested_at)`,
  `CREATE TABLE approved_bids (
    account TEXT NOT NULL, slot TEXT NOT NULL, kopecks INTEGER NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (account, slot)) STRICT, WITHOUT ROWID`
]

/** The chain of everything the journal ever recorded, and marks about the store as a whole. */
const audit = [
  `CREATE TABLE audit (
    account TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL,
    why TEXT, before_value TEXT, after_value TEXT, state TEXT, run_id TEXT, change_id TEXT, content TEXT,
    previous TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (account, seq)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE audit_heads (
    account TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL,
    purged_seq INTEGER NOT NULL, purged_hash TEXT NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE store_marks (
    name TEXT NOT NULL, account TEXT NOT NULL, at INTEGER NOT NULL, detail TEXT NOT NULL,
    PRIMARY KEY (name, account)) STRICT, WITHOUT ROWID`
]

/** The marketplace's limits and what is used of a day's calls, whose tokens are and what they may not, report tasks. */
const marketplace = [
  `CREATE TABLE limiter_buckets (
    account TEXT NOT NULL, token_kind TEXT NOT NULL, limit_group TEXT NOT NULL, bucket TEXT NOT NULL,
    state TEXT NOT NULL, PRIMARY KEY (account, token_kind, limit_group)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE limiter_quotas (
    account TEXT NOT NULL, quota_group TEXT NOT NULL, per_day INTEGER NOT NULL, state TEXT NOT NULL,
    PRIMARY KEY (account, quota_group)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE account_sellers (
    account TEXT PRIMARY KEY, seller TEXT NOT NULL UNIQUE, bound_at INTEGER NOT NULL, bound_by TEXT NOT NULL)
    STRICT, WITHOUT ROWID`,
  `CREATE TABLE switched_off (
    account TEXT NOT NULL, operation TEXT NOT NULL, scope TEXT NOT NULL, status INTEGER NOT NULL, said TEXT NOT NULL,
    token_mark TEXT NOT NULL, first_at INTEGER NOT NULL, again_at INTEGER NOT NULL,
    PRIMARY KEY (account, operation, scope)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE reports (
    id TEXT PRIMARY KEY, account TEXT NOT NULL, request TEXT NOT NULL, state TEXT NOT NULL,
    stored_at INTEGER NOT NULL, asked_at INTEGER, retries INTEGER NOT NULL, ready_at INTEGER, detail TEXT,
    updated_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE INDEX reports_open ON reports (account, stored_at) WHERE state IN ('stored', 'asked')`
]

const sqlite = [
  `CREATE TABLE schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`,
  ...journal,
  ...plans,
  ...rules,
  ...fulfilment,
  ...timetable,
  ...people,
  ...audit,
  ...marketplace
]

/** In the order of their versions; two of them never share one. */
export const steps: ReadonlyArray<Step> = [
  {
    version: 35,
    name: "the store",
    sqlite,
    postgres: Dialect.withoutColumn(Dialect.postgresOf(sqlite), "changes_of_slot", "memory")
  }
]
