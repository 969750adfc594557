/** `bidhelm test` as it is mostly typed: a script of its own, see `Bundle`. */
import * as Option from "effect/Option"
import { usualConfig } from "../config/UsualConfig.js"
import * as Process from "../Process.js"
import * as Testing from "../rules/Testing.js"
import type { Typed } from "./Typed.js"

export const command = ({ json, paths }: Typed) =>
  Testing.test({
    paths,
    json,
    config: usualConfig,
    rules: Option.none(),
    junit: Option.none(),
    coverageMin: Option.none()
  })

/** Runs it and ends the process with its exit code. */
export const main = (typed: Typed): void => Process.main(Process.dressed(command(typed)))
