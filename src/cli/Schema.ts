import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"

const which = Args.choice([
  ["policy", "policy"],
  ["plan", "plan"]
]).pipe(Args.withDefault("policy"))

/** `bidhelm schema`. */
export const command = Command.make("schema", { which, json: Flags.json }, ({ which }) => Output.data(which)).pipe(Command.withDescription(help("schema")))
