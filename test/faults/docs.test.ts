/** The pages for operators: what they say to type works as it stands, and what they point to exists. */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Shop } from "../cli/Shop.js"
import * as Postgres from "../store/Postgres.js"
import * as Documents from "./Documents.js"
import { freePort } from "./Waiting.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const pages = join(root, "docs", "operations")
const read = (name: string) => readFileSync(join(pages, name), "utf8")

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-docs-"))
})
afterAll(async () => {
  await Postgres.end()
  rmSync(folder, { recursive: true, force: true })
})

/** Ports that a page names, made free ones: this machine may have others at work. */
const withFreePorts = async (page: string): Promise<string> => {
  let text = page
  for (const port of ["8090", "9464", "9465", "34431", "34432"]) {
    text = text.replaceAll(port, String(await freePort()))
  }
  return text
}

const environment = (): Record<string, string> => ({
  PATH: `${join(folder, "global/bin")}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
  HOME: process.env.HOME ?? folder,
  npm_config_prefix: join(folder, "global"),
  npm_config_audit: "false",
  npm_config_fund: "false"
})

/** What a clone of this tree would hold. */
const cloned = (): string => {
  const to = join(folder, "repository")
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root })
  for (const file of files.toString().split("\0")) {
    if (file !== "" && existsSync(join(root, file))) cpSync(join(root, file), join(to, file))
  }
  return to
}

describe("the way through docs/operations/README.md", () => {
  it("leads from install to two runners on PostgreSQL and back", async () => {
    mkdirSync(join(folder, "global"))
    const database = await (await Postgres.shared()).fresh()
    // The sandbox that init writes of has another port here.
    const page = (await withFreePorts(read("README.md"))).replace(
      /^(bidhelm init --yes)\n(bidhelm sandbox --port (\d+))/m,
      "$1\nsed -i.was s/8090/$3/ bidhelm.yaml\n$2"
    )
    const { end, said } = await Documents.follow(page, {
      cwd: cloned(),
      env: { ...environment(), HOME: folder, npm_config_cache: join(environment().HOME!, ".npm") },
      own: `DATABASE=${database}\nPASSWORD='${Postgres.password}'`
    })
    expect(end.code, `${end.stderr}\n${end.stdout}`).toBe(0)
    const all = [...said.values()]
    expect(all[0]).toMatch(/^bidhelm \d/m)
    expect(all.filter((text) => text.includes('"ready":true')).length).toBeGreaterThanOrEqual(3)
  }, 900_000)
})

describe("the other pages", () => {
  const others = readdirSync(pages).filter((name) => name !== "README.md")
  const running = others.filter((name) => Documents.blocks(read(name)).some(({ mark }) => mark === "sh run"))

  it.each(running)("%s says only what works, in a folder whose rules have run once", async (name) => {
    const shop = await Shop.open()
    try {
      writeFileSync(join(shop.folder, "bidhelm"), launcher())
      chmodSync(join(shop.folder, "bidhelm"), 0o755)
      expect((await shop.run("apply", "--yes")).code).toBe(0)
      const { end } = await Documents.follow(await withFreePorts(read(name)), {
        cwd: shop.folder,
        env: {
          ...environment(),
          PATH: `${shop.folder}:${environment().PATH}`,
          BIDHELM_TOKEN: (await shop.run("sandbox", "--print-token")).stdout.trim()
        }
      })
      expect(end.code, `${end.stderr}\n${end.stdout}`).toBe(0)
    } finally {
      await shop.close()
    }
  })

  it("point to files that exist", () => {
    const missing = readdirSync(pages).flatMap((name) =>
      [...read(name).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !existsSync(join(pages, target)))
        .map((target) => `${name}: ${target}`)
    )
    expect(missing).toEqual([])
  })
})

const launcher = () =>
  `#!/bin/sh\nexec ${process.execPath} ${process.env.BIDHELM_TEST_BUNDLE ?? join(root, "dist")}/bidhelm.js "$@"\n`
