/**
 * How much of the processor commands take that are typed over and over, over bare `node -e 0`: `--help`, `check` and
 * `test` of the shipped rules, and `check` of 1,000 policies. Each is a process of its own, from its start to its end,
 * all its threads counted (`time` of bash); medians of interleaved runs.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const runs = 15
const policies = 1000

const bin = join(dirname(fileURLToPath(import.meta.url)), "..", "bidhelm.js")
const shipped = join(dirname(bin), "..", "rules")
const folder = mkdtempSync(join(tmpdir(), "bidhelm-startup-"))

const policy = (n: number): string => `version: 1
name: Raise paying clusters, variant ${n}
mode: preview
schedule: {every: 3h, between: "08:00-23:00", tz: Europe/Moscow}
each: cluster
where:
  - campaign.status = active
  - campaign.bid_type = manual and campaign.payment = cpm
  - campaign.id = ${1000 + n}
window: 7d
when:
  - orders >= 3
  - ctr > 1% and views >= ${100 + n}
  - bid < recommended.reach_max
do:
  raise_bid: {by: 10%, toward: recommended.reach_max, cap: 450 ₽}
cooldown: 6h
limits: {changes_per_run: 200, move_per_day: 30%}
`

/** Milliseconds of processor time. */
const spent = (args: ReadonlyArray<string>): number => {
  const words = ["-c", 'TIMEFORMAT="%U %S"; time "$@" >/dev/null', "bash", process.execPath, ...args]
  const { status, stderr } = spawnSync("bash", words, { cwd: folder, encoding: "utf8" })
  const [user, system] = stderr.trim().split("\n").at(-1)?.split(" ").map(Number) ?? []
  if (status !== 0 || user === undefined || system === undefined)
    throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`)
  return (user + system) * 1000
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

interface Subject {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly goal?: number
  readonly times: Array<number>
}

const subject = (name: string, args: ReadonlyArray<string>, goal?: number): Subject => ({
  name,
  args,
  ...(goal === undefined ? {} : { goal }),
  times: []
})

try {
  mkdirSync(join(folder, "many"))
  for (let n = 1; n <= policies; n++) {
    writeFileSync(join(folder, "many", `${String(n).padStart(4, "0")}.yaml`), policy(n))
  }
  cpSync(shipped, join(folder, "rules"), { recursive: true })
  const subjects = [
    subject("node -e 0", ["-e", "0"]),
    subject("--help", [bin, "--help"], 2.5),
    subject("check, the shipped rules", [bin, "check", "rules"], 3),
    subject("check, the long way", [bin, "check", "--config=none.yaml", "rules"]),
    subject("test, the shipped rules", [bin, "test"], 5),
    subject(`check, ${policies} policies`, [bin, "check", "many"])
  ]
  for (const { args } of subjects) spent(args)
  for (let i = 0; i < runs; i++) for (const { args, times } of subjects) times.push(spent(args))
  const bare = median(subjects[0]?.times ?? [])
  for (const { goal, name, times } of subjects) {
    const ratio = median(times) / bare
    const verdict = goal === undefined ? "" : `  goal ${goal.toFixed(2)}  ${ratio <= goal ? "PASS" : "FAIL"}`
    console.log(
      `${name.padEnd(28)} ${median(times).toFixed(0).padStart(5)} ms  ${ratio.toFixed(2)}×${verdict}`
    )
    if (goal !== undefined && ratio > goal) process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
