/** How many accounts one runner on SQLite keeps up with: all are due at the same instant, which is the worst. */
import { cpuSeconds, isGone, Machinery, memoryMiB, type Runner, scheduled, until } from "./Machinery.js"
import * as Spread from "./Spread.js"

export interface Load {
  readonly accounts: number
  readonly everyMinutes: number
  /** How often every account is due. */
  readonly rounds: number
  /** How many times faster the marketplace's clock runs; only to try the benchmark out. */
  readonly speed: number
}

export interface Measured {
  readonly startSeconds: number
  /** From the due time until its cycle begins, and until it has ended; milliseconds, one per cycle. */
  readonly beginMs: ReadonlyArray<number>
  readonly endMs: ReadonlyArray<number>
  /** Cycles that did not end well. */
  readonly troubled: ReadonlyArray<string>
  /** Due times that had to give their place to the next one. */
  readonly missed: number
  readonly startCpuSeconds: number
  /** Of the runner, per cycle, starting up left out. */
  readonly cpuMs: number
  readonly sandboxCpuMs: number
  /** How long the runner waited for a free processor, over how long it ran: above 1 the lags are the machine's. */
  readonly starved: number
  readonly idleMiB: number
  readonly peakMiB: number
  /** Cycles begun a second in the first round. */
  readonly perSecond: number
  readonly changes: number
  readonly twice: number
}

const minuteMs = 60_000

/** Starts everything anew, waits until all rounds are over, and ends everything. */
export const measure = async (load: Load): Promise<Measured> => {
  const { accounts, everyMinutes, rounds, speed } = load
  // Time to start, and the first look, which only notes from when on turns count.
  const allowanceMs = 30_000 + accounts * 150
  let schedule = ""
  const machinery = await Machinery.open({
    accounts,
    speed,
    mode: "apply",
    schedule: () => schedule,
    config: (folder) => `store: sqlite:${folder}/store.sqlite`
  })
  try {
    const firstAt = Math.ceil((machinery.now() + allowanceMs * speed) / minuteMs) * minuteMs
    const dues = Array.from({ length: rounds }, (_, i) => firstAt + i * everyMinutes * minuteMs)
    const times = dues.map((at) => `"${new Date(at).toISOString().slice(11, 16)}"`)
    schedule = `{at: [${times.join(", ")}], tz: UTC}`
    const begun = performance.now()
    const runner = machinery.start()
    const isUp = () => isLooking(runner) || isGone(runner.child)
    await until(isUp, "the runner starts", 600_000)
    if (isGone(runner.child)) throw new Error(`the runner did not start: ${runner.said()}`)
    const startSeconds = (performance.now() - begun) / 1000
    if (machinery.now() > firstAt) throw new Error(`starting took ${startSeconds} s; nothing was measured`)
    await machinery.sleepUntil(firstAt - 2_000 * speed)
    const before = {
      cpu: cpuSeconds(runner.child),
      sandbox: cpuSeconds(machinery.sandbox),
      ...scheduled(runner.child)
    }
    const idleMiB = memoryMiB(runner.child).now
    await settled(machinery, runner, load, dues)
    const after = scheduled(runner.child)
    const count = Math.max(1, runner.cycles.length)
    const turns = turnsOf(runner, dues)
    const begins = turns.flatMap(({ begunAt, due }) => (due === firstAt ? [begunAt] : []))
    const lastedMs = (Math.max(...begins) - Math.min(...begins)) / speed
    return {
      startSeconds,
      beginMs: turns.map(({ begunAt, due }) => (begunAt - due) / speed),
      endMs: turns.map(({ due, endedAt }) => (endedAt - due) / speed),
      troubled: runner.cycles.flatMap(({ outcome, said }) =>
        outcome === "done" ? [] : [`${outcome}: ${said}`]
      ),
      missed: accounts * rounds - turns.length,
      startCpuSeconds: before.cpu,
      cpuMs: ((cpuSeconds(runner.child) - before.cpu) * 1000) / count,
      sandboxCpuMs: ((cpuSeconds(machinery.sandbox) - before.sandbox) * 1000) / count,
      starved: (after.queuedMs - before.queuedMs) / Math.max(1, after.ranMs - before.ranMs),
      idleMiB,
      peakMiB: memoryMiB(runner.child).peak,
      perSecond: (begins.length * 1000) / lastedMs,
      ...(await machinery.written())
    }
  } finally {
    await machinery.close()
  }
}

/** Its first words when everything is open. */
const isLooking = (runner: Runner): boolean => runner.said().includes("bidhelm status tells more")

/** A change that was sent is read back after minutes; nothing for so long, by either clock, and it is over. */
const silenceMs = 6 * minuteMs

/** Until every account has had its cycles, or the rounds are over and nothing happens any more. */
const settled = async (
  machinery: Machinery,
  runner: Runner,
  { accounts, rounds, speed }: Load,
  dues: ReadonlyArray<number>
) => {
  const lastDue = Math.max(...dues)
  const isOver = () => {
    if (isGone(runner.child)) throw new Error(`the runner ended: ${runner.said()}`)
    if (turnsOf(runner, dues).length >= accounts * rounds) return true
    const newest = Math.max(lastDue, ...runner.cycles.map(({ endedAt }) => endedAt))
    return machinery.now() > newest + silenceMs * speed
  }
  await until(isOver, "the accounts have their cycles", 7_200_000)
}

/** Cycles that went through, each with the due time it was for: the first of a due time counts. */
const turnsOf = (runner: Runner, dues: ReadonlyArray<number>) => {
  const seen = new Set<string>()
  return runner.cycles.flatMap(({ account, begunAt, endedAt, outcome }) => {
    const due = dues.filter((at) => at <= begunAt).at(-1)
    const key = `${account} ${due}`
    if (due === undefined || outcome !== "done" || seen.has(key)) return []
    seen.add(key)
    return [{ begunAt, endedAt, due }]
  })
}

export const text = ({ accounts, everyMinutes, rounds }: Load, measured: Measured): ReadonlyArray<string> => {
  const { beginMs, changes, cpuMs, endMs, idleMiB, missed, peakMiB, perSecond, troubled, twice } = measured
  return [
    `${accounts} accounts, due every ${everyMinutes} min, ${rounds} times: ${beginMs.length} cycles, ${missed} missed, ${troubled.length} tried again; ${changes} changes, ${twice} of them twice`,
    `  up after ${measured.startSeconds.toFixed(1)} s (${measured.startCpuSeconds.toFixed(1)} s of processor with the wait)`,
    `  due to begin: ${Spread.tail(beginMs)}`,
    `  due to end: ${Spread.tail(endMs)}`,
    `  processor per cycle: ${cpuMs.toFixed(0)} ms (the sandbox takes ${measured.sandboxCpuMs.toFixed(0)} ms); ${perSecond.toFixed(1)} cycles a second`,
    `  waited for a free processor ${measured.starved.toFixed(1)} times as long as it ran${measured.starved > 1 ? ": the lags are this machine's, not the program's" : ""}`,
    `  memory: ${idleMiB.toFixed(0)} MiB before the first cycle, ${peakMiB.toFixed(0)} MiB at most`,
    ...[...new Set(troubled)].slice(0, 3).map((why) => `  ${why}`)
  ]
}
