/**
 * What a cycle of `bidhelm run` leaves behind for operators: figures of its plan and its run, and one line of the log
 * per change that the marketplace refused or of which nobody knows what became.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Figures from "../../domain/Figures.js"
import * as Groups from "../../domain/Groups.js"
import type { AccountLane, Lane } from "../../domain/Lane.js"
import * as Plural from "../../domain/Plural.js"
import * as Target from "../../domain/Target.js"
import * as DailySpend from "../../engine/decide/limits/DailySpend.js"
import type { Notice } from "../../engine/decide/Plan.js"
import type * as Review from "../../engine/decide/Review.js"
import type { ApplyReport } from "../../engine/door/Apply.js"
import type { JournalRow, JournalState } from "../../engine/door/Journal.js"
import * as HeldReason from "../../engine/kinds/HeldReason.js"
import type { Watching } from "../../engine/planning/AccountCycle.js"
import * as Besides from "../../engine/planning/Besides.js"
import type { Planned } from "../../engine/planning/Cycle.js"
import type { CycleResult } from "../../engine/schedule/Job.js"
import * as HeldReasons from "../../reporting/HeldReasons.js"
import * as Reasons from "../../reporting/Reasons.js"
import * as RowReasons from "../../reporting/RowReasons.js"

const { add, figures, observe, set } = Figures

/** What can hold a change: what plans write in `by`, or a person is asked. */
export const reasons = [...HeldReason.HeldBy.literals, "approval"] as const

/** Figures and lines of a lane's cycles, for `AccountCycle.run`. */
export const watching = ({ account, lane }: AccountLane): Watching => ({
  planned: (reviewed) =>
    Effect.zipRight(planFigures({ account, lane }, reviewed), heldLines(account, reviewed)),
  gathered: (planned) =>
    Effect.zipRight(
      lane === "ads" ? moneyFigures(account, planned.context) : joinedFigures(account, planned.reviewed),
      noticeLines(account, planned)
    ),
  assembled: ({ counts, waiting, withoutPass }) =>
    Effect.all(
      [
        set(figures.ordersWaiting, { account }, waiting),
        // A figure that fell to none, or away, would end an alert.
        ...(counts === undefined
          ? []
          : [
              set(figures.ordersLate, { account }, counts.late),
              set(figures.ordersAtRisk, { account }, counts.atRisk)
            ]),
        set(figures.handOversWithoutPass, { account }, withoutPass)
      ],
      { discard: true }
    ),
  applied: (report) => Effect.zipRight(runFigures(account, report), refusedLines(account, report))
})

/** Counts a cycle that took so long, milliseconds. */
export const ended = (where: AccountLane, result: CycleResult, tookMs: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const outcome = result._tag.toLowerCase()
    yield* add(figures.cycles, { account: where.account, outcome })
    yield* observe(figures.cycleTime, { outcome }, Math.max(0, tookMs) / 1000)
    if (result._tag !== "Done") return
    yield* set(figures.cycleDoneAt, where, (yield* Clock.currentTimeMillis) / 1000)
  })

/** Takes away what this process knows of a lane that another runner has now; counters stay, they only grow. */
export const forget = ({ account, lane }: AccountLane): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const gauge of ofPlans) yield* set(gauge, { account, lane }, undefined)
    for (const reason of reasons) yield* set(figures.held, { account, lane, reason }, undefined)
    for (const gauge of ofLane[lane]) yield* set(gauge, { account }, undefined)
  })

const ofPlans = [figures.cycleDoneAt, figures.planned, figures.unknownRows]

const ofLane = {
  ads: [figures.spend, figures.spendLimit, figures.deposits, figures.depositsLimit],
  orders: [figures.ordersWaiting, figures.ordersLate, figures.ordersAtRisk, figures.handOversWithoutPass],
  promotions: []
} satisfies Record<Lane, ReadonlyArray<Figures.Gauge<"account">>>

const planFigures = (where: AccountLane, { plan, waiting }: Review.ReviewedPlan): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* set(figures.planned, where, plan.summary.changes)
    yield* set(figures.unknownRows, where, plan.summary.unknown)
    const held: Partial<Record<(typeof reasons)[number], ReadonlyArray<unknown>>> = {
      ...Arr.groupBy(plan.held, ({ by }) => by),
      approval: waiting
    }
    for (const reason of reasons) yield* set(figures.held, { ...where, reason }, held[reason]?.length ?? 0)
  })

/** Only the lane of advertising spends and tops up. */
const moneyFigures = (account: string, context: Planned["context"]): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { limits } = context.rules
    yield* set(figures.spend, { account }, spendToday(context))
    yield* set(figures.spendLimit, { account }, limits.spendPerDayKopecks)
    yield* set(figures.deposits, { account }, depositsToday(context))
    yield* set(figures.depositsLimit, { account }, limits.moneyPerDayKopecks)
  })

const joinedFigures = (account: string, { plan }: Review.ReviewedPlan): Effect.Effect<void> => {
  const joined = (plan.notices ?? []).map(({ because }) =>
    because?.code === "joined_by_others" ? because.count : 0
  )
  return add(
    figures.joinedByOthers,
    { account },
    joined.reduce((sum, count) => sum + count, 0)
  )
}

/** Kopecks; undefined when nobody asked for it or some of it is unknown. */
const spendToday = (context: Planned["context"]): number | undefined => {
  if (context.rules.limits.spendPerDayKopecks === undefined) return undefined
  const spent = DailySpend.today(context)
  return typeof spent === "number" ? spent : undefined
}

const depositsToday = ({ made }: Planned["context"]): number | undefined =>
  made?.deposited.reduce((sum, { at, kopecks }) => (at >= made.dayStartMs ? sum + kopecks : sum), 0)

const runFigures = (account: string, { counts }: ApplyReport): Effect.Effect<void> =>
  Effect.forEach(
    Object.entries(counts),
    ([state, count]) => add(figures.changes, { account, state }, count),
    {
      discard: true
    }
  )

/** One line per reason, with the first change of it: thousands may be held by one limit. */
const heldLines = (account: string, { plan }: Review.ReviewedPlan): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { held, id } = plan
    for (const [reason, group] of Object.entries(Arr.groupBy(held, ({ by }) => by))) {
      const [{ because, change }] = group
      const { action, origin, subject } = change
      const { limit, over } = HeldReasons.words(because, plan)
      // A buyer's words do not belong into a log, and the command that lifts a hold or an edit repeats them.
      const isBuyers = subject.cluster !== undefined && /^(hold|human_edit)$/.test(because.code)
      const which = {
        policy: origin.name,
        action,
        target: Target.key(Target.withoutCluster(subject))
      }
      const more = group.length === 1 ? "" : ", and others, see bidhelm plan"
      yield* Effect.logInfo(
        `${account}: ${group.length} held by ${reason}: ${action} of ${which.target} by ${which.policy}${more}`,
        {
          ...{ event: "held", account, plan: id.slice(0, 12), reason, changes: group.length, ...which },
          limit,
          why: isBuyers ? "see bidhelm plan" : over
        }
      )
    }
  })

const worthTelling: ReadonlyArray<JournalState> = ["rejected", "not_applied", "conflict", "unknown", "parked"]

/** Of what never left: found wrong before it was sent, or the token may not; a value that moved is every day's. */
const worthTellingUnsent: ReadonlyArray<string> = ["unfit", "request_refused", "account_refused"]

const isWorthTelling = ({ reason, state }: JournalRow): boolean =>
  worthTelling.includes(state) ||
  (state === "skipped" && reason !== undefined && worthTellingUnsent.includes(reason.code))

/** More lines of one run would only hide the others; the journal has all of them. */
const mostLines = 50

const refusedLines = (account: string, { recovered, rows, runId }: ApplyReport): Effect.Effect<void> =>
  Effect.gen(function* () {
    const refused = [...recovered, ...rows].filter(isWorthTelling)
    for (const row of refused.slice(0, mostLines)) yield* refusedLine(account, row)
    const left = refused.length - mostLines
    if (left > 0) yield* Effect.logWarning(`${account}: ${left} more, see bidhelm history ${runId}`)
  })

/** Campaign and item only: a buyer's words do not belong into a log, and what the marketplace says of a cluster may repeat them. */
const refusedLine = (account: string, row: JournalRow) => {
  const { change, operation, reason, runId, state } = row
  const target = Target.key(Target.withoutCluster(change.subject))
  const {
    action,
    id,
    origin: { name: policy }
  } = change
  const event = { event: state, account, runId, change: id.slice(0, 12), policy, action, target, operation }
  return Effect.logWarning(`${account}: ${action} of ${target} ${state.replace("_", " ")}`, {
    ...event,
    code: reason?.code,
    why:
      change.subject.cluster === undefined
        ? (Reasons.ofRow(row) ?? "no reason is known")
        : `see bidhelm history ${runId}`
  })
}

// Lines of the log for what a plan of `bidhelm run` says on top: messages of rules, and what could not be read.

/** More lines of one policy, or of one plan, would only hide the others. */
const most = { ofPolicy: 10, ofPlan: 50 }

/** One line per reason why something was not read, and one per policy and text. */
export const noticeLines = (
  account: string,
  planned: Pick<Planned, "gathered" | "reviewed">
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const plan = planned.reviewed.plan.id.slice(0, 12)
    const lines = [...failures(planned), ...notices(planned)]
    for (const { event, fields, text } of lines.slice(0, most.ofPlan)) {
      yield* Effect.logWarning(`${account}: ${text}`, { event, account, plan, ...fields })
    }
    const left = lines.length - most.ofPlan
    if (left > 0) yield* Effect.logWarning(`${account}: ${Plural.of(left, "more notice")}, see bidhelm plan`)
  })

interface Line {
  readonly event: "notice" | "not_read"
  readonly text: string
  readonly fields: Readonly<Record<string, string | number>>
}

/** A buyer's words do not belong into a log, so messages about clusters are only counted. */
const notices = ({ reviewed }: Pick<Planned, "reviewed">): ReadonlyArray<Line> => {
  const near = RowReasons.around(reviewed.plan)
  const policies = Groups.by(reviewed.plan.notices ?? [], ({ policy }) => policy)
  return [...policies].flatMap(([policy, own]) => {
    const texts = Groups.by(own, (notice) =>
      notice.subject?.cluster === undefined
        ? RowReasons.notice(notice, near)
        : "has messages about clusters, see bidhelm plan"
    )
    const lines = [...texts].slice(0, most.ofPolicy).map(([text, some]) => told(policy, text, some))
    const left = texts.size - lines.length
    return left === 0
      ? lines
      : [...lines, told(policy, `${Plural.of(left, "more message")}, see bidhelm plan`, [])]
  })
}

/** Most subjects that a line names. */
const mostNamed = 3

/** One text of a policy, with what it is about. */
const told = (policy: string, text: string, notices: ReadonlyArray<Notice>): Line => {
  const rows = Math.max(1, notices.length)
  const keys = notices.flatMap(({ subject }) =>
    subject === undefined || subject.cluster !== undefined ? [] : [Target.key(subject)]
  )
  const more = keys.length > mostNamed ? ` and ${keys.length - mostNamed} more` : ""
  const about = keys.length === 0 ? "" : `${keys.slice(0, mostNamed).join(", ")}${more}: `
  const times = keys.length === 0 && rows > 1 ? ` (${rows} times)` : ""
  return {
    event: "notice",
    text: `${policy}: ${about}${text}${times}`,
    fields: { policy, rows }
  }
}

const failures = (planned: Pick<Planned, "gathered">): ReadonlyArray<Line> => {
  const counts = new Map<string, { readonly operation: string; keys: number }>()
  for (const { keys, message, operation } of Besides.unread(planned)) {
    const one = counts.get(message) ?? { operation, keys: 0 }
    one.keys += keys
    counts.set(message, one)
  }
  return [...counts].map(([message, { keys, operation }]) => ({
    event: "not_read",
    text: `not read (${keys}): ${message}`,
    fields: { operation, keys }
  }))
}
