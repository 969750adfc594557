/** What stops a run between two requests, however the seller has written it down. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as StopFile from "../../../src/cli/account/StopFile.js"
import { KillSwitch } from "../../../src/engine/door/Stopping.js"
import * as JournalSql from "../../../src/store/journal/JournalSql.js"
import * as Fixture from "../../store/Fixture.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-stop-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** Why a run of these rules stops before its next request. */
const why = (rulesOfRun?: string, link: { readonly storeLink?: string } = {}) => {
  const places = {
    storePath: join(folder, ".bidhelm", "bidhelm.sqlite"),
    ...link,
    rulesFolder: join(folder, "rules"),
    ...(rulesOfRun === undefined ? {} : { rulesOfRun: join(folder, rulesOfRun) })
  }
  const journal = JournalSql.layer.pipe(Layer.provideMerge(Fixture.store({ filename: ":memory:" })))
  return Effect.runPromise(
    Effect.flatMap(KillSwitch, ({ engaged }) => engaged).pipe(
      Effect.provide(StopFile.layer(places, "shop").pipe(Layer.provide(journal)))
    )
  )
}

/** What one run is told before and after something happens. */
const engagedTwice = (meanwhile: () => void) => {
  const places = { storePath: join(folder, "bidhelm.sqlite"), rulesFolder: join(folder, "rules") }
  const journal = JournalSql.layer.pipe(Layer.provideMerge(Fixture.store({ filename: ":memory:" })))
  return Effect.runPromise(
    Effect.gen(function* () {
      const { engaged } = yield* KillSwitch
      return [yield* engaged, yield* Effect.zipRight(Effect.sync(meanwhile), engaged)] as const
    }).pipe(Effect.provide(StopFile.layer(places, "shop").pipe(Layer.provide(journal))))
  )
}

const limits = (killSwitch: string) => `version: 1\nkind: limits\naccount:\n  kill_switch: ${killSwitch}\n`

it("nothing stops it while nobody says so, and the file STOP beside the store does", async () => {
  write("rules/_shared/limits.yaml", limits("false"))
  expect(await why()).toBeUndefined()
  write(".bidhelm/STOP", "")
  expect(await why()).toContain("STOP")
})

it("the file STOP beside a link to the store stops it as that beside the store does", async () => {
  const link = { storeLink: join(folder, "shop", "link.sqlite") }
  expect(await why(undefined, link)).toBeUndefined()
  write("shop/STOP", "")
  expect(await why(undefined, link)).toBe(
    `the file ${join(folder, "shop", "STOP")} exists; remove it to go on`
  )
  rmSync(join(folder, "shop", "STOP"))
  write(".bidhelm/STOP", "")
  expect(await why(undefined, link)).toContain(join(".bidhelm", "STOP"))
})

it("a link named STOP that leads nowhere stops it", async () => {
  mkdirSync(join(folder, ".bidhelm"))
  symlinkSync("nowhere", join(folder, ".bidhelm", "STOP"))
  expect(await why()).toContain("STOP exists")
})

it("a folder in which nobody may look for a file STOP stops it, and says so", async () => {
  mkdirSync(join(folder, "shop"))
  chmodSync(folder, 0o755)
  chmodSync(join(folder, "shop"), 0)
  const isRoot = process.getuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  try {
    expect(await why(undefined, { storeLink: join(folder, "shop", "link.sqlite") })).toBe(
      `nobody can tell whether the file ${join(folder, "shop", "STOP")} exists (EACCES), and it would stop everything; check the permissions of its folder`
    )
  } finally {
    if (isRoot) process.seteuid?.(0)
    chmodSync(join(folder, "shop"), 0o755)
  }
})

it.each(["true", "True", "TRUE"])(
  "kill_switch: %s of the limits stops it, as the rules read it",
  async (word) => {
    write("rules/_shared/limits.yaml", limits(word))
    expect(await why()).toContain("kill_switch is true in")
  }
)

it("which limits stop it can be asked for by itself, and is asked anew each time", async () => {
  const asked = StopFile.inLimits({ rulesFolder: join(folder, "rules"), rulesOfRun: join(folder, "autumn") })
  expect(asked()).toBeUndefined()
  write(".bidhelm/STOP", "")
  write("autumn/limits.yaml", limits("true"))
  expect(asked()).toBe(join(folder, "autumn", "limits.yaml"))
  write("autumn/limits.yaml", limits("false"))
  expect(asked()).toBeUndefined()
})

it("limits that change to as many letters within the same instant are read again", async () => {
  const path = join(folder, "rules", "_shared", "limits.yaml")
  const at = new Date("2026-09-01T12:00:00Z")
  const asked = StopFile.inLimits({ rulesFolder: join(folder, "rules") })
  for (const [word, answer] of [
    ["false", undefined],
    ["true ", path],
    ["false", undefined]
  ] as const) {
    write("rules/_shared/limits.yaml", limits(word))
    utimesSync(path, at, at)
    expect(asked()).toBe(answer)
  }
})

it("limits in a file called .yml stop it as well", async () => {
  write("rules/_shared/limits.yml", limits("true"))
  expect(await why()).toContain("kill_switch is true in")
})

it("limits in a file called .YAML stop it as well", async () => {
  write("rules/_shared/Limits.YAML", limits("true"))
  expect(await why()).toContain(join("_shared", "Limits.YAML"))
})

it("a run of other rules (--rules) is stopped by the limits of those, and by those of the configuration", async () => {
  write("rules/_shared/limits.yaml", limits("false"))
  write("autumn/_shared/limits.yaml", limits("true"))
  expect(await why()).toBeUndefined()
  expect(await why("autumn")).toContain(join("autumn", "_shared", "limits.yaml"))
  write("rules/_shared/limits.yaml", limits("true"))
  write("autumn/_shared/limits.yaml", limits("false"))
  expect(await why("autumn")).toContain(join("rules", "_shared", "limits.yaml"))
})

it("limits in any other rule file of the folder stop it as well, at once, and those of tests do not", async () => {
  write("rules/tests/limits.yaml", limits("true"))
  write("rules/01-limits.yaml", limits("false"))
  const pulled = () => write("rules/01-limits.yaml", limits("true "))
  const [before, after] = await engagedTwice(pulled)
  expect(before).toBeUndefined()
  expect(after).toContain(`kill_switch is true in ${join(folder, "rules", "01-limits.yaml")}`)
})

it("limits that may not be read at first stop it as soon as they may", async () => {
  write("rules/01-limits.yaml", limits("true"))
  const path = join(folder, "rules", "01-limits.yaml")
  chmodSync(folder, 0o755)
  chmodSync(path, 0)
  const asked = StopFile.inLimits({ rulesFolder: join(folder, "rules") })
  const isRoot = process.getuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  try {
    expect(asked()).toBeUndefined()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
  chmodSync(path, 0o644)
  expect(asked()).toBe(path)
})
