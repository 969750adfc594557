/**
 * How soon accounts of a runner that is gone have their cycles on the other one: two runners on one PostgreSQL, all
 * cycles held up at the marketplace, one runner killed or stopped in the middle of them.
 */
import { freePort, Machinery, type Runner, until } from "./Machinery.js"

export const faults = ["kill -9", "SIGSTOP"] as const

interface Trial {
  readonly fault: (typeof faults)[number]
  readonly lockSeconds: number
  readonly times: number
  readonly speed: number
}

export interface Measured {
  /** From the fault to the beginning of a cycle of the first, and of the last of the runner's accounts, milliseconds. */
  readonly first: ReadonlyArray<number>
  readonly all: ReadonlyArray<number>
}

const accounts = 8

export const measure = async ({ fault, lockSeconds, speed, times }: Trial): Promise<Measured> => {
  const Postgres = await import("../../test/store/Postgres.js")
  const server = await Postgres.start()
  try {
    const url = await server.fresh()
    const ports = await Promise.all(Array.from({ length: times + 2 }, freePort))
    const machinery = await Machinery.open({
      accounts,
      speed,
      // A cycle that sends something ends minutes later, when it has read that back.
      mode: "preview",
      schedule: () => `{every: ${Math.ceil(speed)}m, tz: UTC}`,
      config: () => `store: "${url}"
store_password: {env: STORE_PASSWORD}
runner: {listen: "127.0.0.1:${ports.pop()}", lock_seconds: ${lockSeconds}}`,
      env: { STORE_PASSWORD: Postgres.password }
    })
    try {
      const first: Array<number> = []
      const all: Array<number> = []
      let pair = { stays: machinery.start(), goes: machinery.start() }
      for (let n = 0; n < times; n++) {
        const took = await trial(machinery, pair, { fault, lockSeconds, speed, times })
        first.push(Math.min(...took))
        all.push(Math.max(...took))
        pair.goes.child.kill("SIGKILL")
        if (n < times - 1) pair = { stays: pair.stays, goes: machinery.start() }
      }
      return { first, all }
    } finally {
      await machinery.close()
    }
  } finally {
    await server.remove()
  }
}

const patienceOf = (lockSeconds: number) => (lockSeconds * 4 + 120) * 1000

interface Pair {
  readonly stays: Runner
  readonly goes: Runner
}

/** Answers for each account of the runner that went how long it took, milliseconds. */
const trial = async (machinery: Machinery, { goes, stays }: Pair, { fault, lockSeconds, speed }: Trial) => {
  const patienceMs = patienceOf(lockSeconds)
  const own = async () => {
    const standing = await machinery.standing(stays)
    const found = [...standing].filter(([, { pid, state }]) => pid === goes.child.pid && state === "running")
    return found.map(([account]) => account)
  }
  // Both have accounts, and cycles went through since.
  await until(
    () => goes.cycles.length > 0 && stays.cycles.length > 0,
    `both work: ${goes.said()}`,
    patienceMs
  )
  await machinery.slow("listCampaignIds")
  let taken: ReadonlyArray<string> = []
  const inTheAir = async () => {
    taken = await own()
    return taken.length > 0
  }
  await until(inTheAir, "cycles are in the air", patienceMs)
  const before = stays.cycles.length
  const goneAt = machinery.now()
  goes.child.kill(fault === "kill -9" ? "SIGKILL" : "SIGSTOP")
  await machinery.slow()
  const begun = (account: string) =>
    stays.cycles.slice(before).find((cycle) => cycle.account === account)?.begunAt
  await until(
    () => taken.every((account) => begun(account) !== undefined),
    "the other takes over",
    patienceMs
  )
  return taken.map((account) => ((begun(account) ?? 0) - goneAt) / speed)
}
