/** The tarball of `npm pack` is the whole program: installed from it alone, far from this repository and any registry. */
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Ended, ended } from "../cli/Shop.js"
import { freePort, until } from "./Waiting.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")

let folder: string
/** Empty, and of a name that people give. */
let here: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm package установка "))
  here = join(folder, "моя лавка")
  mkdirSync(here)
  execFileSync("npm", ["pack", "--pack-destination", folder], {
    cwd: root,
    env: environment(),
    stdio: "pipe"
  })
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
  const install = ["install", "--global", "--prefix", join(folder, "global"), `./${tarball}`]
  execFileSync("npm", install, { cwd: folder, env: environment(), stdio: "pipe" })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A machine with Node and nothing else: nobody answers at its registry, and its npm knows no package. */
const environment = () => ({
  PATH: `${join(folder, "global/bin")}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
  HOME: folder,
  npm_config_cache: join(folder, "cache"),
  npm_config_registry: "http://127.0.0.1:1",
  npm_config_audit: "false",
  npm_config_fund: "false"
})

const start = (words: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
  spawn("bidhelm", words, { cwd: here, env: { ...environment(), ...more } })

const run = (...words: ReadonlyArray<string>): Promise<Ended> => ended(start(words))

/** A supply with one order in it, made over HTTP. */
const supplied = async (url: string, token: string): Promise<string> => {
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    return (text === "" ? {} : JSON.parse(text)) as {
      readonly id: string
      readonly orders: ReadonlyArray<{ readonly id: number; readonly crossBorderType: number }>
    }
  }
  const { orders } = await ask("GET", "/api/v3/orders/new")
  const { id } = await ask("POST", "/api/v3/supplies", { name: "packed" })
  await ask("PATCH", `/api/marketplace/v3/supplies/${id}/orders`, {
    orders: [orders.find(({ crossBorderType }) => crossBorderType === 0)?.id]
  })
  return id
}

describe("the package", () => {
  const own = () => join(folder, "global/lib/node_modules/bidhelm")

  it("holds the program, the rules, the pages, what they name, and nothing else of this repository", () => {
    expect(readdirSync(own()).sort()).toEqual([
      "ARCHITECTURE.md",
      "CONTRIBUTING.md",
      "LICENSE",
      "README.md",
      "dist",
      "docs",
      "node_modules",
      "ops",
      "package.json",
      "rules"
    ])
    expect(readdirSync(join(own(), "dist")).sort()).toEqual([
      "THIRD-PARTY-NOTICES.txt",
      "bidhelm.js",
      "chunks",
      "fonts",
      "plain"
    ])
    expect(readdirSync(join(own(), "dist/chunks")).filter((name) => !name.endsWith(".js"))).toEqual([])
    expect(readdirSync(join(own(), "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "@photostructure",
      "node-gyp-build"
    ])
  })

  it("holds what its pages link to, and the unit that they install", () => {
    const pages = readdirSync(own(), { recursive: true, encoding: "utf8" }).filter(
      (path) => path.endsWith(".md") && !path.startsWith("node_modules")
    )
    const missing = pages.flatMap((page) =>
      [...readFileSync(join(own(), page), "utf8").matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
        .map(([, link = ""]) => join(dirname(page), link))
        .filter((path) => !existsSync(join(own(), path)))
    )
    expect([pages.includes("docs/operations/service.md"), missing]).toEqual([true, []])
    expect(existsSync(join(own(), "ops/bidhelm.service"))).toBe(true)
  })

  it("holds the licence of everything that is bundled", () => {
    const notices = readFileSync(join(own(), "dist/THIRD-PARTY-NOTICES.txt"), "utf8")
    for (const name of [
      "effect",
      "@effect/platform",
      "undici",
      "yaml",
      "@cantoo/pdf-lib",
      "@expo-google-fonts/pt-sans"
    ])
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "m"))
    expect(notices).toContain("Permission is hereby granted, free of charge")
    expect(notices).not.toContain("no licence named")
  })

  it("shows the demo", async () => {
    const { code, stdout } = await run("demo")
    expect([code, stdout]).toEqual([0, expect.stringContaining("none twice, and nothing else")])
  })

  it("writes rules that its own check and tests accept, and plans against its own sandbox", async () => {
    expect(await run("--version")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^bidhelm \d/) })
    expect(await run("init", "--yes")).toMatchObject({ code: 0 })
    expect(await run("check")).toMatchObject({ code: 0 })
    expect(await run("test")).toMatchObject({ code: 0 })
    const port = await freePort()
    const settings = join(here, "bidhelm.yaml")
    writeFileSync(settings, readFileSync(settings, "utf8").replaceAll("8090", `${port}`))
    const sandbox = start(["sandbox", "--port", `${port}`])
    try {
      await until(
        async () => (await fetch(`http://127.0.0.1:${port}/_sandbox/clock`).catch(() => undefined))?.ok
      )
      const token = { BIDHELM_TOKEN: (await run("sandbox", "--print-token")).stdout.trim() }
      const plan = await ended(start(["plan", "--json"], token))
      expect(plan).toMatchObject({ code: 0 })
      expect(plan.stdout).toContain('"raise_bid"')
      const supply = await supplied(`http://127.0.0.1:${port}`, token.BIDHELM_TOKEN)
      const labels = await ended(start(["labels", "print", supply, "--out", "labels.pdf"], token))
      expect(labels).toMatchObject({ code: 0 })
      expect(readFileSync(join(here, "labels.pdf")).subarray(0, 5).toString()).toBe("%PDF-")
    } finally {
      sandbox.kill()
    }
  })
})
