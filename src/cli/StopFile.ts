/**
 * The kill switch of a running `apply`: a file named `STOP` beside the store, `kill_switch: true` in the limits, or
 * `bidhelm kill`. Looked at before every request, so that whoever pulls it waits for one request at most.
 */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Node from "../engine/language/Node.js"
import * as Source from "../engine/language/Source.js"
import * as Yaml from "../engine/language/Yaml.js"
import * as Holdings from "../engine/run/Holdings.js"
import type { Journal } from "../engine/run/Journal.js"
import type { KillSwitch } from "../engine/run/Ports.js"

export interface Places {
  readonly storePath: string
  readonly rulesFolder: string
  /** Where the rules of this run are from, when that is another folder (`--rules`). */
  readonly rulesOfRun?: string
}

/** The switch of one account: the file, the limits, and what `bidhelm kill` left in the store. */
export const layer = (places: Places, account: string): Layer.Layer<KillSwitch, never, Journal> => {
  const stopFile = join(dirname(places.storePath), "STOP")
  const { rulesFolder, rulesOfRun = rulesFolder } = places
  const limits = [...new Set([rulesFolder, rulesOfRun])].flatMap((folder) =>
    ["limits.yaml", "limits.yml"].map((name) => join(folder, "_shared", name))
  )
  const files = Effect.sync(() => {
    if (existsSync(stopFile)) return `the file ${stopFile} exists; remove it to go on`
    const found = limits.find(switchedOff)
    return found === undefined ? undefined : `kill_switch is true in ${found}`
  })
  return Holdings.killSwitch(account, files)
}

/** A file that is just being saved may be half written: only a clear yes counts; the rules were checked before. */
const switchedOff = (path: string): boolean => {
  if (!existsSync(path)) return false
  try {
    const { root } = Yaml.parse(Source.make(path, readFileSync(path, "utf8")))
    const value = Node.get(Node.get(root, "account"), "kill_switch")
    return value?._tag === "Scalar" && value.text.toLowerCase() === "true"
  } catch {
    return false
  }
}
