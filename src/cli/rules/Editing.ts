/** What the language server takes from this machine: the streams, the files, the configuration, the call limits. */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Server from "../../editor/Server.js"
import type { File } from "../../engine/language/Load.js"
import * as Catalogue from "../../services/Catalogue.js"
import * as Config from "../config/Config.js"
import * as Output from "../terminal/Output.js"
import * as RegularFile from "../terminal/RegularFile.js"
import { version } from "../terminal/Version.js"
import * as RuleFiles from "./RuleFiles.js"

/** Never ends by itself: the protocol's `exit`, or the end of the input, ends the process. */
export const serve: Effect.Effect<never> = Effect.async<never>(() => {
  Server.serve({ ...Output.channel(), version, root: process.cwd(), rulesFolder, read, price })
})

/** The configured folder, or `rules`; a configuration that cannot be read is for `doctor` to tell. */
const rulesFolder = (root: string): string => {
  const path = join(root, "bidhelm.yaml")
  if (!existsSync(path)) return join(root, "rules")
  const text = Either.getOrUndefined(Either.try(() => RegularFile.readText(path)))
  const config = text === undefined ? undefined : Config.read(path, text)
  return resolve(root, config !== undefined && Either.isRight(config) ? config.right.rulesFolder : "rules")
}

/** Rules and, in `tests`, their tests; what cannot be read is left out, as if it were not there. */
const read = (folder: string): Promise<ReadonlyArray<File>> => {
  const found = [folder, join(folder, "tests")].filter((path) => existsSync(path))
  const none: ReadonlyArray<File> = []
  return Effect.runPromise(
    found.length === 0
      ? Effect.succeed(none)
      : Effect.orElseSucceed(RuleFiles.findReadable(found), () => none)
  )
}

/** `5 a minute`, as the limits of a personal token say. */
const price = (operation: string): string | undefined => {
  const limit = Catalogue.find(operation)?.limits.personal
  if (limit === undefined) return undefined
  const { periodMs, requests } = limit
  const unit = periods.find(({ ms }) => periodMs === ms)
  return unit === undefined ? `${requests} in ${periodMs / 1000} s` : `${requests} a ${unit.name}`
}

const periods = [
  { ms: 1000, name: "second" },
  { ms: 60_000, name: "minute" },
  { ms: 3_600_000, name: "hour" },
  { ms: 86_400_000, name: "day" }
]
