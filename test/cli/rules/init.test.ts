import fs, { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as Config from "../../../src/cli/config/Config.js"
import * as Init from "../../../src/cli/rules/Init.js"
import * as Shop from "../Shop.js"

describe("the starter configuration", () => {
  it("is one that the program itself accepts", () => {
    const config = Either.getOrThrow(Config.read("bidhelm.yaml", Init.configuration(Init.defaults)))
    expect(config.accounts).toEqual([
      {
        name: "main",
        token: { _tag: "Environment", name: "BIDHELM_TOKEN" },
        tokenKind: undefined,
        sandbox: true
      }
    ])
  })

  it("keeps what was answered, whatever it is, or is refused; it never means something else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 20 }), (account) => {
        const read = Config.read("bidhelm.yaml", Init.configuration({ ...Init.defaults, account }))
        if (Either.isRight(read)) expect(read.right.accounts[0]?.name).toBe(account.normalize("NFC"))
      })
    )
  })

  it("asks again for an answer that the file would be refused for, and says why", () => {
    expect(Init.refusal("advertHost", "")).toContain("A host is an https:// address")
    expect(Init.refusal("calendarHost", "calendar")).toContain("A host is an https:// address")
    expect(Init.refusal("timeZone", "Moscow")).toBe("Name a city: Europe/Moscow.")
    expect(Init.refusal("marketplaceHost", "")).toBeUndefined()
  })

  it("is accepted with every answer that is taken", () => {
    const some = fc.constantFrom("", "main", "A_1", "https://one.example", "http://two", "Asia/Omsk", "x y")
    const asked = ["account", "tokenVariable", "advertHost", "marketplaceHost", "timeZone"] as const
    fc.assert(
      fc.property(fc.constantFrom(...asked), some, (name, answer) => {
        fc.pre(Init.refusal(name, answer) === undefined)
        const answers = { ...Init.defaults, sandbox: false, [name]: answer }
        const written = Init.configuration(answers)
        expect(Either.isRight(Config.read("bidhelm.yaml", written))).toBe(true)
      })
    )
  })
})

describe("a disk that fills up", () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "bidhelm-init-"))
  })
  afterEach(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
    rmSync(folder, { recursive: true, force: true })
  })

  it("leaves no file half written, so that the next init writes all", async () => {
    const init = () =>
      Shop.runIn({ folder, environment: { PATH: process.env.PATH ?? "" } }, ["init", "--yes"])
    vi.spyOn(fs, "writeFile").mockImplementation((path, ...rest: ReadonlyArray<unknown>) => {
      writeFileSync(path, "")
      const done = rest.at(-1)
      if (typeof done === "function")
        done(Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" }))
    })
    syncBuiltinESMExports()
    const full = await init()
    expect(full.code).toBe(1)
    expect(full.stderr).toMatch(
      /bidhelm\.yaml cannot be written: the disk of the folder \. is full; free some/
    )
    expect(readdirSync(folder)).toEqual([])
    vi.restoreAllMocks()
    syncBuiltinESMExports()
    expect(await init()).toMatchObject({ code: 0, stdout: expect.not.stringContaining("kept") })
  })
})

describe("what init says to do next", () => {
  it("is the sandbox at the port of the configuration, and the step that gives its token", () => {
    const told = Init.next("bidhelm.yaml", { ...Init.defaults, advertHost: "http://127.0.0.1:8123" })
    expect(told).toContain("\n  bidhelm sandbox --port 8123\n")
    expect(told).toContain('\n  export BIDHELM_TOKEN="$(bidhelm sandbox --print-token)"\n  bidhelm plan\n')
  })

  it("names a configuration elsewhere in every command that needs it", () => {
    const told = Init.next("мой магазин/b.yaml", { ...Init.defaults, sandbox: false })
    expect(told).toContain("  bidhelm doctor --config 'мой магазин/b.yaml'\n")
    expect(told).toContain("  export BIDHELM_TOKEN=…\n")
  })
})
