/**
 * Whether the shipped rules act at once on an account that is no sandbox's, as nobody meant them to: `init` writes them so
 * for the sandbox alone.
 */
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import * as Plural from "../../domain/Plural.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import type * as Config from "../config/Config.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import { shippedRules } from "../terminal/PackageFiles.js"
import { type Finding, well } from "./Finding.js"

/** Nothing of rules with errors, which another check tells. A file that somebody has edited was read by somebody. */
export const run = (
  config: Config.Config,
  accounts: ReadonlyArray<Config.Account>,
  rules: RuleSet | undefined
) =>
  Effect.gen(function* () {
    const real = accounts.filter(({ sandbox }) => !sandbox).map(({ name }) => name)
    if (rules === undefined || real.length === 0) return []
    const acting = new Set(
      [...rules.policies, ...rules.fulfilment].flatMap(({ file, mode }) => (mode === "apply" ? [file] : []))
    )
    const shipped = new Set(shippedRules().map(({ content }) => content))
    const files = yield* Effect.orElseSucceed(RuleFiles.find([config.rulesFolder]), () => [])
    const found = files.filter(({ path, text }) => acting.has(path) && shipped.has(text))
    return found.length === 0
      ? []
      : [
          unread(
            found.map(({ path }) => basename(path, ".yaml")),
            real
          )
        ]
  })

const unread = (names: ReadonlyArray<string>, accounts: ReadonlyArray<string>): Finding => {
  const count = `${Plural.of(names.length, "rule")} ${Plural.choose(names.length, "acts", "act")}`
  return {
    ...well(
      "starter rules",
      `Attention: ${count} at once on ${accounts.join(", ")} as bidhelm init wrote ${Plural.choose(names.length, "it", "them")} for the sandbox: ${names.join(", ")}`
    ),
    todo: "write mode: preview in each, edit what its head says, and see what bidhelm plan shows before mode: apply; a file that was edited is not named here"
  }
}
