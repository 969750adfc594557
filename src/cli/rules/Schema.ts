/** `bidhelm schema`: the JSON Schemas that editors and other programs use. */
import * as Args from "@effect/cli/Args"
import * as Effect from "effect/Effect"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"

const which = Args.choice(
  [
    ["policy", "policy" as const],
    ["limits", "limits" as const],
    ["vars", "vars" as const],
    ["templates", "templates" as const],
    ["facts", "facts" as const],
    ["fulfilment", "fulfilment" as const],
    ["tests", "tests" as const],
    ["plan", "plan" as const]
  ],
  { name: "which" }
).pipe(Args.withDefault("policy"))

/** `--json` changes nothing: the answer is JSON, and a schema has a place for its own version. */
export const command = Command.make("schema", { which, json: Flags.json }, function* ({ which }) {
  if (which === "tests") {
    const TestSchema = yield* Effect.promise(() => import("../../engine/testing/TestSchema.js"))
    return yield* Output.data(TestSchema.print())
  }
  if (which !== "plan") {
    const Schema = yield* Effect.promise(() => import("../../engine/language/shape/JsonSchema.js"))
    return yield* Output.data(Schema.print(which))
  }
  const PlanJson = yield* Effect.promise(() => import("../../engine/decide/PlanJson.js"))
  yield* Output.data(PlanJson.schema())
})
