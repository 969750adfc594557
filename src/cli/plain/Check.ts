/** `bidhelm check` as it is mostly typed: a script of its own, see `Bundle`. */
import * as Effect from "effect/Effect"
import { usualConfig } from "../config/UsualConfig.js"
import * as Process from "../Process.js"
import * as Checking from "../rules/Checking.js"
import type { Typed } from "./Typed.js"

export const command = ({ json, paths }: Typed) =>
  Checking.check({ paths, json, config: usualConfig }, Effect.succeed)

/** Runs it and ends the process with its exit code. */
export const main = (typed: Typed): void => Process.main(Process.dressed(command(typed)))
