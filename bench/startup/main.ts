/**
 * How long `bidhelm --help` and `bidhelm check` on 100 policies take, over bare `node -e 0`: medians of interleaved
 * runs, so that a busy machine slows all of them alike.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { performance } from "node:perf_hooks"
import { fileURLToPath } from "node:url"

const runs = 15
const policies = 100

const bin = join(dirname(fileURLToPath(import.meta.url)), "..", "bidhelm.js")
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

const timed = (args: ReadonlyArray<string>): number => {
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" })
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`)
  return performance.now() - start
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

try {
  mkdirSync(join(folder, "rules"))
  for (let n = 1; n <= policies; n++) {
    writeFileSync(join(folder, "rules", `${String(n).padStart(3, "0")}.yaml`), policy(n))
  }
  const subjects = [
    { name: "node -e 0", args: ["-e", "0"], goal: undefined, times: [] as Array<number> },
    { name: "bidhelm --help", args: [bin, "--help"], goal: 2.5, times: [] as Array<number> },
    {
      name: `bidhelm check, ${policies} policies`,
      args: [bin, "check", "rules"],
      goal: undefined,
      times: [] as Array<number>
    }
  ]
  for (const subject of subjects) timed(subject.args)
  for (let i = 0; i < runs; i++) for (const subject of subjects) subject.times.push(timed(subject.args))
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
