/** What a running program tells: one line per cycle, its status, and the output of commands it runs for others. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Lane from "../../domain/Lane.js"
import * as Plural from "../../domain/Plural.js"
import type { PolicyCall } from "../../engine/planning/PolicyJobs.js"
import type { CycleResult, Trouble } from "../../engine/schedule/Job.js"
import type { Standing } from "../../engine/schedule/RunnerStatus.js"
import type * as SellerAccount from "../../runtime/SellerAccount.js"
import type { AccountMarks } from "../account/AccountMarks.js"
import * as Holder from "../account/Holder.js"
import * as Output from "../terminal/Output.js"
import type { ConfigChange } from "./ConfigChange.js"
import * as CycleFigures from "./CycleFigures.js"
import type { AccountStatus, Status } from "./RunStatus.js"

/** So many accounts are named. */
const mostNamed = 10

/** The first words of a runner, short enough for a line of the log however many accounts it has. */
export const greeting = (accounts: ReadonlyArray<string>, pid: number): string =>
  `bidhelm run: ${Plural.named(accounts, mostNamed)}; pid ${pid}. bidhelm status tells more.`

/** Runs a cycle, counts it and says what came of it: a line of the log, or one line of JSON on stdout. */
export const told = (call: PolicyCall, cycle: Effect.Effect<CycleResult>, json: boolean) =>
  Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const result = yield* cycle
    const nowMs = yield* Clock.currentTimeMillis
    const due = [...call.due].sort()
    const { account, loaded } = call
    const { outcome, said, words } = inWords(result)
    const at = new Date(nowMs).toISOString()
    if (json) {
      const runId = result._tag === "Done" ? (result.runId ?? null) : null
      const planId = result._tag === "Done" ? (result.planId ?? null) : null
      const body = {
        at,
        account,
        due,
        rules: loaded.version,
        outcome,
        said,
        runId,
        planId,
        tookMs: nowMs - startedAt
      }
      yield* Output.jsonLine("cycle", body)
    } else {
      const event = { event: "cycle", account, outcome, due, rules: loaded.version, said }
      const made = result._tag === "Done" ? { runId: result.runId, planId: result.planId } : {}
      const tookMs = nowMs - startedAt
      yield* Effect.logInfo(`${account}: ${words}${said} [${due.join(", ")}]`, {
        ...event,
        ...made,
        tookMs
      })
    }
    yield* CycleFigures.ended(call, result, nowMs - startedAt)
    return result
  })

/** `outcome` is for machines; `words` stand before what is said. */
const inWords = (result: CycleResult) => {
  const outcome = result._tag.toLowerCase()
  if (result._tag === "Done") return { outcome, words: "", said: result.said }
  if (result._tag === "Stopping")
    return { outcome, words: "stopping: ", said: "what was due waits for the next start" }
  return { outcome, words: troubles[result._tag], said: result.why }
}

/** The reason follows; when it is tried again is a line of its own. */
const troubles: Readonly<Record<Trouble, string>> = {
  Refused: "stopped until a person acts: ",
  Limited: "waits for a call limit: ",
  Unreachable: "the marketplace did not answer: ",
  Unread: "",
  StoreFailed: "the store failed: ",
  Busy: "waits for another run: ",
  LockLost: "",
  Broken: "bidhelm has a defect: "
}

interface Sources {
  readonly config: string
  readonly zone: string
  readonly current: Effect.Effect<Standing>
  readonly standing: (where: Lane.AccountLane) => Effect.Effect<SellerAccount.Standing | undefined>
  readonly marks: Effect.Effect<AccountMarks>
  /** The file whose limits stop every write now, if one does. */
  readonly killSwitchIn: () => string | undefined
  readonly changed: () => ConfigChange | undefined
  /** Why the store does not answer, as long as it does not. */
  readonly storeAway: () => string | undefined
}

/** The program's status, of every account wherever it is. */
export const status = ({
  changed,
  config,
  current,
  killSwitchIn,
  marks,
  standing,
  storeAway,
  zone
}: Sources): Effect.Effect<Status> =>
  Effect.gen(function* () {
    const { accounts, isDraining, lastLookAt, rulesProblem, rulesVersion } = yield* current
    const nowMs = yield* Clock.currentTimeMillis
    const stands = yield* Effect.forEach(accounts, (where) => standing(where), {
      concurrency: "unbounded"
    })
    const { onlyLooks, switchedOff } = yield* marks
    const pulled = killSwitchIn()
    const otherwise = changed()
    const away = storeAway()
    return {
      pid: process.pid,
      runner: Holder.name(),
      config,
      zone,
      nowMs,
      rulesVersion,
      ...(rulesProblem === undefined ? {} : { rulesProblem }),
      isStopping: isDraining,
      ...(pulled === undefined ? {} : { killSwitchIn: pulled }),
      ...(otherwise === undefined ? {} : { configChanged: otherwise.what }),
      ...(away === undefined ? {} : { storeAway: away }),
      ...(accounts.some(({ problem }) => problem === undefined) ? { lookedAt: lastLookAt ?? null } : {}),
      accounts: accounts.map((one, i) =>
        accountOf(one, stands[i], onlyLooks(one.account), switchedOff(one.account))
      )
    }
  })

const accountOf = (
  { account, lagMs, lane, nextDueAt, problem, waiting }: Standing["accounts"][number],
  stands: SellerAccount.Standing | undefined,
  onlyLooks: string | undefined,
  switchedOff: ReadonlyArray<string>
): AccountStatus => {
  const stoppedWhy = problem?.said ?? stands?.stoppedWhy ?? undefined
  const stoppedBy = problem?.trouble ?? stands?.stoppedBy ?? undefined
  const last = stands?.last
  const retryAt = stands?.retryAt ?? undefined
  return {
    account,
    ...(lane === "ads" ? {} : { lane }),
    state: stands?.state ?? "unknown: its runner does not answer",
    ...(stands === undefined ? {} : { runner: stands.runner }),
    ...(stands?.runningSince == null ? {} : { runningSince: stands.runningSince }),
    ...(stands?.doing == null ? {} : { doing: stands.doing }),
    ...(nextDueAt === undefined ? {} : { nextDueAt }),
    lagMs,
    waiting,
    ...(stoppedWhy === undefined ? {} : { stoppedWhy }),
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
    ...(onlyLooks === undefined ? {} : { onlyLooks }),
    ...(switchedOff.length === 0 ? {} : { switchedOff }),
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(last == null ? {} : { last: { at: last.at, outcome: last.outcome, said: last.said } })
  }
}

/** Runs commands for others. Whatever they did may have changed what is due or what stopped an account. */
export const commands = (
  lookAgain: Effect.Effect<void>,
  wake: (where: Lane.AccountLane) => Effect.Effect<void>,
  accounts: ReadonlyArray<string>
) =>
  Effect.succeed((words: ReadonlyArray<string>, sink: Output.Sink) =>
    Effect.gen(function* () {
      const Program = yield* Effect.promise(() => import("../Program.js"))
      const code = yield* Program.within(words, sink)
      if (code === 0 && changing.has(words[0] ?? "")) {
        const all = accounts.flatMap((account) => Lane.lanes.map((lane) => ({ account, lane })))
        yield* Effect.forEach(all, wake, { discard: true, concurrency: "unbounded" })
        yield* lookAgain
      }
      return code
    })
  )

const changing = new Set(["hold", "resume", "kill", "approve", "reject", "undo", "reconcile", "account"])
