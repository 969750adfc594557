/** `bidhelm test`: runs the tests of the rules; needs no account and no network. */
import * as Args from "@effect/cli/Args"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const paths = Args.text({ name: "paths" }).pipe(
  Args.withDescription("Files of tests, or their folders, instead of the configured one"),
  Args.repeated
)
const junit = Flags.text("junit", "Also write the results as JUnit XML to this file, for build servers")
const coverageMin = Flags.integer(
  "coverage-min",
  "End with 1 when the tests see less than this percentage of the rules at work"
)

export const command = Command.make(
  "test",
  { paths, rules: Flags.rules, junit, coverageMin, config: Flags.config, json: Flags.json },
  Command.later(async () => (await import("./Testing.js")).test)
)
