/** The shipped compose file and systemd unit: what they name exists, and what they start works, as far as it can be seen without Docker. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { type Ended, ended } from "../cli/Shop.js"
import * as Postgres from "../store/Postgres.js"
import { freePort, until } from "./Waiting.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const ops = join(root, "ops")

interface Health {
  readonly test?: ReadonlyArray<string>
  readonly disable?: boolean
}
interface Service {
  readonly image: string
  readonly build?: { readonly context: string }
  readonly command?: ReadonlyArray<string>
  readonly entrypoint?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: ReadonlyArray<string>
  readonly healthcheck?: Health
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly network_mode?: string
  readonly stop_grace_period?: string
  readonly read_only?: boolean
}
const compose = parse(readFileSync(join(ops, "compose.yaml"), "utf8"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}
const service = (name: string): Service => {
  const found = compose.services[name]
  if (found === undefined) throw new Error(`there is no service ${name}`)
  return found
}
const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8")

let folder: string
const children: Array<ChildProcess> = []
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-ops-"))
  const launcher = join(folder, "bin", "bidhelm")
  mkdirSync(dirname(launcher))
  const program = join(process.env.BIDHELM_TEST_BUNDLE ?? join(root, "dist"), "bidhelm.js")
  writeFileSync(launcher, `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`, { mode: 0o755 })
})
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL")
  await Postgres.end()
  rmSync(folder, { recursive: true, force: true })
})

describe("the compose file", () => {
  const services = Object.entries(compose.services)

  it("mounts only what exists, and names only volumes and services that it has", () => {
    for (const [name, { depends_on = {}, network_mode, volumes = [] }] of services) {
      for (const volume of volumes) {
        const [source = ""] = volume.split(":")
        if (source.startsWith(".")) expect(existsSync(join(ops, source)), `${name}: ${source}`).toBe(true)
        else expect(compose.volumes, name).toHaveProperty(source)
      }
      const others = [...Object.keys(depends_on), ...(network_mode?.match(/(?<=^service:).*/) ?? [])]
      for (const other of others) expect(compose.services, name).toHaveProperty(other)
    }
  })

  it("waits for the health of services that have a health check, and for the end of those that end", () => {
    for (const [, { depends_on = {} }] of services) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        if (condition === "service_healthy") expect(service(other).healthcheck?.test, other).toBeDefined()
        else expect(["secrets", "check"]).toContain(other)
      }
    }
  })

  it("gives runners more than the 30 seconds they may take to end, nothing to write to, and no rights", () => {
    for (const name of ["runner-a", "runner-b"]) {
      expect(Number(/^(\d+)s$/.exec(service(name).stop_grace_period ?? "")?.[1])).toBeGreaterThan(30)
      expect(service(name)).toMatchObject({ read_only: true, cap_drop: ["ALL"], tmpfs: ["/tmp"] })
      expect(service(name).volumes?.filter((volume) => !volume.endsWith(":ro"))).toEqual([`${name}:/data`])
    }
  })

  it("builds the image of this repository, and mounts to places that it has", () => {
    expect(resolve(ops, service("runner-a").build?.context ?? "")).toBe(root)
    for (const place of ["/config", "/rules", "/data", "/secrets"]) expect(dockerfile).toContain(place)
  })

  it("holds no secret", () => {
    const text = ["compose.yaml", "demo/runner-a.yaml", "demo/runner-b.yaml", "demo/secrets.sh"]
      .map((path) => readFileSync(join(ops, path), "utf8"))
      .join("\n")
    expect(text).not.toMatch(/eyJ|password: *["']?\w|PASSWORD:/)
  })
})

interface Scraping {
  readonly scrape_configs: ReadonlyArray<{
    readonly authorization: { readonly type: string; readonly credentials_file: string }
    readonly static_configs: ReadonlyArray<{ readonly targets: ReadonlyArray<string> }>
  }>
}

/** Starts what a service starts, with the container's places in a folder of the test. */
const start = (
  name: string,
  cwd: string,
  change: (text: string) => string
): { child: ChildProcess; end: Promise<Ended> } => {
  const { command = [], entrypoint, environment = {} } = service(name)
  const [program = "", ...rest] = [...(entrypoint ?? ["bidhelm"]), ...command].map(change)
  const child = spawn(program, rest, {
    cwd,
    env: {
      PATH: `${join(folder, "bin")}:${dirname(process.execPath)}:/usr/bin:/bin`,
      SECRETS: change("/secrets"),
      ...environment
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  children.push(child)
  return { child, end: ended(child) }
}

const isWell = async (name: string, change: (text: string) => string): Promise<boolean> => {
  const { environment = {}, healthcheck } = service(name)
  const dockerHealth = JSON.parse(
    /HEALTHCHECK[\s\S]*? CMD (\[.*\])/.exec(dockerfile)?.[1] ?? "[]"
  ) as Array<string>
  const [program = "", ...rest] = healthcheck?.test?.slice(1) ?? dockerHealth
  const env = { PATH: process.env.PATH ?? "", BIDHELM_HEALTH: change(environment.BIDHELM_HEALTH ?? "") }
  return (await ended(spawn(program, rest, { env }))).code === 0
}

it("the demo fleet starts as the compose file says, is healthy, and ends when it is asked to", async () => {
  const secrets = join(folder, "secrets")
  mkdirSync(secrets)
  const database = new URL(await (await Postgres.shared()).fresh())
  const places: Array<readonly [string | RegExp, string]> = [
    ["postgres:5432/bidhelm", `${database.host}${database.pathname}`],
    [/(?<![\w.])\/secrets\b/g, secrets],
    [/(?<![\w.])\/rules\b/g, join(root, "rules")],
    [/(?<![\w.])\/demo\b/g, join(ops, "demo")]
  ]
  for (const port of ["8090", "34431", "34432", "9464", "9465"]) {
    places.push([new RegExp(port, "g"), String(await freePort())])
  }
  const change = (text: string) => places.reduce((now, [from, to]) => now.replaceAll(from, to), text)

  expect(await start("secrets", folder, change).end).toMatchObject({ code: 0 })
  for (const name of ["store_password", "token", "metrics_key"]) {
    expect(statSync(join(secrets, name)).mode & 0o777).toBe(0o600)
  }
  expect(readFileSync(join(secrets, "store_password"), "utf8")).toMatch(/^[0-9a-f]{48}$/)
  // The server is there already, so its password is what the file has to be.
  writeFileSync(join(secrets, "store_password"), Postgres.password)

  const configured = (name: string): string => {
    const mounted = service(name).volumes?.find((volume) => volume.includes(":/config/bidhelm.yaml"))
    const data =
      service(name)
        .volumes?.find((volume) => volume.endsWith(":/data"))
        ?.split(":")[0] ?? ""
    const cwd = join(folder, "config", data)
    mkdirSync(cwd, { recursive: true })
    const text = change(readFileSync(join(ops, mounted?.split(":")[0] ?? ""), "utf8"))
    writeFileSync(join(cwd, "bidhelm.yaml"), text.replace(": /data", `: ${join(folder, data)}`))
    return cwd
  }

  start("sandbox", folder, change)
  await until(() => isWell("sandbox", change))
  const checked = await start("check", configured("check"), change).end
  expect(checked, checked.stdout).toMatchObject({ code: 0 })

  const runners = ["runner-a", "runner-b"].map((name) => ({ name, cwd: configured(name) }))
  const started = runners.map(({ cwd, name }) => start(name, cwd, change))
  for (const { name } of runners) await until(() => isWell(name, change))
  for (const { cwd } of runners) {
    const status = spawn(join(folder, "bin", "bidhelm"), ["status"], {
      cwd,
      env: { PATH: process.env.PATH ?? "" }
    })
    expect((await ended(status)).stdout).toContain("demo: ")
  }
  // What Prometheus asks, as its file says it: with the key, and nothing without it.
  const { scrape_configs } = parse(
    change(readFileSync(join(ops, "prometheus/prometheus.yaml"), "utf8"))
  ) as Scraping
  for (const { authorization, static_configs } of scrape_configs) {
    const key = readFileSync(authorization.credentials_file, "utf8")
    const targets = static_configs.flatMap(({ targets }) => targets)
    expect(targets.length).toBe(runners.length)
    for (const target of targets) {
      const url = `http://${target.replace("sandbox:", "127.0.0.1:")}/metrics`
      const headers = { authorization: `${authorization.type} ${key}` }
      expect([(await fetch(url)).status, (await fetch(url, { headers })).status], target).toEqual([401, 200])
    }
  }
  for (const { child } of started) child.kill("SIGTERM")
  for (const { end } of started) expect(await end).toMatchObject({ code: 0 })
})

describe("the unit of systemd", () => {
  const unit = readFileSync(join(ops, "bidhelm.service"), "utf8")
  const value = (key: string) => new RegExp(`^${key}=(.*)$`, "m").exec(unit)?.[1]

  it("asks with SIGTERM, waits longer than the program takes, and starts it again after a failure", () => {
    expect([value("KillSignal"), value("Restart")]).toEqual(["SIGTERM", "on-failure"])
    expect(Number(value("TimeoutStopSec"))).toBeGreaterThan(30)
    expect(value("RestartPreventExitStatus")).toBe("3")
  })

  it("starts it again for as long as its database is away", () => {
    expect(value("StartLimitIntervalSec")).toBe("0")
  })

  it("gives the program no right of root, and writes to its own folder only", () => {
    expect([value("User"), value("CapabilityBoundingSet"), value("NoNewPrivileges")]).toEqual([
      "bidhelm",
      "",
      "yes"
    ])
    expect([value("ProtectSystem"), value("WorkingDirectory")]).toEqual(["strict", "/var/lib/bidhelm"])
    expect(value("EnvironmentFile")).toBe("/etc/bidhelm/bidhelm.env")
  })

  it.runIf(existsSync("/usr/bin/systemd-analyze"))("is understood by systemd, without a complaint", () => {
    const own = join(folder, "unit")
    mkdirSync(own)
    cpSync(join(ops, "bidhelm.service"), join(own, "bidhelm.service"))
    const path = join(own, "bidhelm.service")
    writeFileSync(path, unit.replace("/usr/local/bin/bidhelm", join(folder, "bin", "bidhelm")))
    expect(execFileSync("systemd-analyze", ["verify", path], { encoding: "utf8", stdio: "pipe" })).toBe("")
  })
})
