/** Every example that `bidhelm call --describe` prints is given to a shell as it stands, each before a fresh sandbox. */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as CallDescribe from "../../src/cli/call/CallDescribe.js"
import * as SandboxServer from "../../src/cli/sandbox/SandboxServer.js"
import * as Calls from "../../src/marketplace/Calls.js"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import * as Catalogue from "../../src/services/Catalogue.js"
import { program } from "../cli/Bundle.js"
import { type Ended, ended } from "../cli/Shop.js"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-examples-"))
  mkdirSync(join(folder, "bin"))
  symlinkSync(program(), join(folder, "bin", "bidhelm"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const settings = (url: string) => `version: 1
accounts: [{name: main, token: {env: BIDHELM_TOKEN}, sandbox: true}]
hosts: {advert: "${url}", calendar: "${url}", marketplace: "${url}", analytics: "${url}"}
`

/** What the shell makes of the line, and how often the marketplace was asked for the operation. */
const pasted = async (id: string, line: string): Promise<Ended & { readonly asked: number }> => {
  const scope = Effect.runSync(Scope.make())
  const here = join(folder, id)
  mkdirSync(here)
  try {
    const url = await Effect.runPromise(
      SandboxServer.start({
        port: 0,
        seed: 1,
        speed: 60,
        scale: { campaigns: 6, items: 4, clusters: 12 },
        originMs: Date.now()
      }).pipe(Scope.extend(scope))
    )
    writeFileSync(join(here, "bidhelm.yaml"), settings(url))
    const PATH = `${join(folder, "bin")}:${dirname(process.execPath)}:/usr/bin:/bin`
    const env = { PATH, BIDHELM_TOKEN: sandboxToken() }
    const end = await ended(spawn("/bin/sh", ["-c", line], { cwd: here, env }))
    const { counters } = (await (await fetch(`${url}/_sandbox/ledger`)).json()) as {
      readonly counters: Readonly<Record<string, { readonly requests: number }>>
    }
    return { ...end, asked: counters[id]?.requests ?? 0 }
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Its number is the seller's own, and made up: the marketplace knows no such thing, or has it in another state. */
const isOwn = ({ endpoint, id }: Catalogue.Entry): boolean =>
  Option.isSome(endpoint.pathSchema) || id === "retryCsvReport" || id === "deleteCampaign"

/** A call that is a plan of its changes ends once they were seen. */
const readBack = /^run-\S+: done \(applied \d+\)/m

/** What their examples ask for is so in this sandbox. */
const isSoAlready = ["setCampaignPlacements", "deleteClusterBids", "deliverSupply"]

describe.concurrent("the example of", () => {
  it.for(Catalogue.operations.map((entry) => [entry.id, entry] as const))("%s", async ([id, entry]) => {
    const text = CallDescribe.text(entry, Date.now())
    const line = /^Example\n {2}(bidhelm .*)$/m.exec(text)?.[1] ?? ""
    const { asked, code, stderr } = await pasted(id, line)
    const refused = isOwn(entry) && /the marketplace refused the request \(40[049]\)/.test(stderr)
    // The order of that number is there, and takes no such label, or no more of them; the supply holds orders.
    const unsent =
      isOwn(entry) &&
      /^bidhelm: nothing was sent: .*: (the order (takes no \w+|is not in assembly)|only an empty supply is deleted, .*)$/m.test(
        stderr
      )
    const said = isSoAlready.includes(id)
      ? "Everything is as asked for already; nothing was sent.\n"
      : Object.hasOwn(Calls.readings, id)
        ? expect.stringMatching(readBack)
        : ""
    expect({ line, asked, code, stderr }).toEqual({
      line,
      asked: isSoAlready.includes(id) || unsent ? 0 : 1,
      code: refused || unsent ? 1 : 0,
      stderr: refused || unsent ? stderr : said
    })
  })
})
