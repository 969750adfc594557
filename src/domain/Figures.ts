/**
 * Every figure that a running program keeps of itself, in one table: what `/metrics` and the telemetry export show,
 * what the documentation explains and what dashboards and alerts may use. Labels have few values and never hold
 * secrets, names of campaigns or words of buyers.
 */
import type * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricLabel from "effect/MetricLabel"

export interface Figure<Label extends string = string> {
  /** Ends with its unit, or with `_total` when it only grows. */
  readonly name: string
  readonly kind: "counter" | "gauge" | "histogram"
  /** One sentence for operators. */
  readonly help: string
  readonly labels: ReadonlyArray<Label>
}

export interface Counter<L extends string> extends Figure<L> {
  readonly kind: "counter"
  readonly metric: Metric.Metric.Counter<number>
}
export interface Gauge<L extends string> extends Figure<L> {
  readonly kind: "gauge"
  readonly metric: Metric.Metric.Gauge<number>
}
export interface Histogram<L extends string> extends Figure<L> {
  readonly kind: "histogram"
  readonly metric: Metric.Metric.Histogram<number>
}

const counter = <L extends string = never>(
  name: string,
  help: string,
  ...labels: ReadonlyArray<L>
): Counter<L> => {
  const metric = Metric.counter(name, { description: help, incremental: true })
  return { name, kind: "counter", help, labels, metric }
}
const gauge = <L extends string = never>(
  name: string,
  help: string,
  ...labels: ReadonlyArray<L>
): Gauge<L> => ({ name, kind: "gauge", help, labels, metric: Metric.gauge(name, { description: help }) })
/** `bounds`: upper ends of the buckets, ascending. The registry tells two histograms apart by their very bounds. */
const histogram = <L extends string = never>(
  name: string,
  bounds: ReadonlyArray<number>,
  help: string,
  ...labels: ReadonlyArray<L>
): Histogram<L> => {
  const metric = Metric.histogram(name, MetricBoundaries.fromIterable(bounds), help)
  return { name, kind: "histogram", help, labels, metric }
}

const waits = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600]

/** The table. Per-account figures carry the account's name in the configuration. */
export const figures = {
  build: gauge("bidhelm_build_info", "Always 1; its label is the version of the program.", "version"),
  lookedAt: gauge(
    "bidhelm_last_look_timestamp_seconds",
    "When the timetable was looked at last, by the accounts' clock."
  ),
  draining: gauge("bidhelm_draining", "1 while the program is stopping."),
  lag: gauge("bidhelm_lag_seconds", "How late the oldest due time is that was not run yet.", "account"),
  waiting: gauge("bidhelm_due_times_waiting", "Due times that were not run yet.", "account"),
  stopped: gauge(
    "bidhelm_account_stopped",
    "1 while the account cannot work and waits to try again; bidhelm status says why.",
    "account"
  ),
  cycles: counter("bidhelm_cycles_total", "Cycles that ended, by how.", "account", "outcome"),
  givenUp: gauge(
    "bidhelm_policies_given_up",
    "Policies given up, until they run again, because the program ended several times in a row while it planned them.",
    "account",
    "lane"
  ),
  cycleTime: histogram(
    "bidhelm_cycle_duration_seconds",
    [1, 5, 15, 60, 300, 900, 1800, 3600, 7200],
    "How long cycles took, waits for call limits and read-backs included.",
    "outcome"
  ),
  cycleDoneAt: gauge(
    "bidhelm_last_cycle_timestamp_seconds",
    "When a cycle of the lane went through last in this process, by the account's clock.",
    "account",
    "lane"
  ),
  planned: gauge("bidhelm_plan_changes", "Changes in the lane's last plan.", "account", "lane"),
  unknownRows: gauge(
    "bidhelm_plan_unknown_rows",
    "Rows of the lane's last plan that no rule could decide on, because a fact is unknown.",
    "account",
    "lane"
  ),
  joinedByOthers: counter(
    "bidhelm_promotion_items_joined_by_others_total",
    "Items found in a promotion that bidhelm did not put there and that were not in it at the last look.",
    "account"
  ),
  held: gauge(
    "bidhelm_held_changes",
    "Changes of the lane's last plan that were held back, by what held them.",
    "account",
    "lane",
    "reason"
  ),
  changes: counter("bidhelm_changes_total", "Changes of runs, by how they ended.", "account", "state"),
  unknownOpen: gauge(
    "bidhelm_unknown_outcomes",
    "Changes that left, or may have left, and of which nobody knows yet whether they arrived.",
    "account"
  ),
  overdue: gauge(
    "bidhelm_overdue_changes",
    "Open changes past the deadline by which their outcome should be known.",
    "account"
  ),
  parked: gauge(
    "bidhelm_parked_deposits",
    "Deposits that can be proved neither paid nor unpaid; a person settles them with bidhelm resolve.",
    "account"
  ),
  approvals: gauge("bidhelm_approvals_waiting", "Changes that wait for a person's approval.", "account"),
  ordersWaiting: gauge(
    "bidhelm_orders_waiting",
    "Orders in no supply yet, or to be shipped again, as the last turn of the orders' lane found them.",
    "account"
  ),
  ordersLate: gauge(
    "bidhelm_orders_late",
    "Orders that are not handed over although their wave has left.",
    "account"
  ),
  ordersAtRisk: gauge(
    "bidhelm_orders_at_risk",
    "Orders that may miss their wave: it leaves within half an hour, and they are not ready.",
    "account"
  ),
  handOversWithoutPass: gauge(
    "bidhelm_hand_overs_without_pass",
    "Hand-overs of the next six hours that no pass covers; absent where passes are not planned or were not read.",
    "account"
  ),
  holds: gauge(
    "bidhelm_operator_holds",
    "Holds and kills that people have placed and that stand.",
    "account"
  ),
  observeOnly: gauge(
    "bidhelm_observe_only",
    "1 while nothing may be sent because the store was restored; bidhelm reconcile lifts it.",
    "account"
  ),
  spend: gauge(
    "bidhelm_spend_today_kopecks",
    "Spend of all campaigns today as the last plan read it; absent without spend_per_day or when unknown.",
    "account"
  ),
  spendLimit: gauge("bidhelm_spend_limit_kopecks", "The limit spend_per_day; absent without one.", "account"),
  deposits: gauge(
    "bidhelm_deposits_today_kopecks",
    "Deposits of today as the last plan counted them, those of unknown outcome included.",
    "account"
  ),
  depositsLimit: gauge(
    "bidhelm_deposits_limit_kopecks",
    "The limit money_per_day; absent without one.",
    "account"
  ),
  calls: counter(
    "bidhelm_calls_total",
    "Tries of calls of the marketplace, by operation and how they ended.",
    "operation",
    "outcome"
  ),
  oddEntries: counter(
    "bidhelm_odd_entries_total",
    "Entries of answered lists that could not be read; the others were used.",
    "operation"
  ),
  callTime: histogram(
    "bidhelm_call_duration_seconds",
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    "How long the marketplace took to answer, from sending to the last byte.",
    "area"
  ),
  limiterWait: histogram(
    "bidhelm_limiter_wait_seconds",
    waits,
    "How long calls waited for their call limit before they were sent.",
    "area"
  ),
  throttled: counter(
    "bidhelm_throttled_total",
    "Answers 429: a call limit was used up that this program thought had room, or a daily quota.",
    "operation",
    "kind"
  ),
  frozen: gauge(
    "bidhelm_frozen_buckets",
    "Call limits that are shut until a deadline of the marketplace's.",
    "account"
  ),
  rulesBroken: gauge("bidhelm_rules_broken", "1 while rule files have errors and older rules are in force."),
  reloadFailures: counter(
    "bidhelm_rule_reload_failures_total",
    "Changed rule files that were refused because of errors."
  ),
  storeSize: gauge("bidhelm_store_size_bytes", "Size of the store's database."),
  storeUnread: gauge(
    "bidhelm_store_unreadable",
    "1 when the store could not be read for these figures; what comes from it is then absent."
  ),
  auditHead: gauge(
    "bidhelm_audit_head_entries",
    "Number of the last entry of the audit chain; it never falls.",
    "account"
  ),
  memory: gauge("bidhelm_memory_resident_bytes", "Memory that the process holds."),
  heap: gauge("bidhelm_memory_heap_bytes", "JavaScript heap in use.")
} as const

/** All of them, in the order of the table. */
export const all: ReadonlyArray<Figure> = Object.values(figures)

type Labels<L extends string> = Readonly<Record<L, string>>

const tags = ({ labels }: Figure, given: Readonly<Record<string, string>>) =>
  labels.map((label) => MetricLabel.make(label, given[label] ?? ""))

/** Adds to a counter. */
export const add = <L extends string>(figure: Counter<L>, labels: Labels<L>, by = 1): Effect.Effect<void> =>
  Metric.incrementBy(Metric.taggedWithLabels(figure.metric, tags(figure, labels)), by)

/** Sets a gauge; undefined takes it away, because what is not known is not zero. */
export const set = <L extends string>(
  figure: Gauge<L>,
  labels: Labels<L>,
  value: number | undefined
): Effect.Effect<void> =>
  Metric.set(Metric.taggedWithLabels(figure.metric, tags(figure, labels)), value ?? Number.NaN)

/** Adds one observation to a histogram. */
export const observe = <L extends string>(
  figure: Histogram<L>,
  labels: Labels<L>,
  value: number
): Effect.Effect<void> => Metric.update(Metric.taggedWithLabels(figure.metric, tags(figure, labels)), value)
