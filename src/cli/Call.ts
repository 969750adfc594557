/** `bidhelm call`: one operation, raw. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"
import { stop } from "./Stop.js"

const operation = Args.text({ name: "operation" }).pipe(Args.optional)
const params = Options.text("params").pipe(
  Options.optional,
  Options.withDescription("Parameters as JSON: the names of the documentation, or {path, urlParams, payload}")
)
const list = Options.boolean("list").pipe(Options.withDescription("List every operation and its parameters"))

export const command = Command.make(
  "call",
  { operation, params, list, yes: Flags.yes, ...Flags.session },
  (flags) =>
    Effect.gen(function* () {
      const Catalogue = yield* Effect.promise(() => import("../services/Catalogue.js"))
      const CallRequest = yield* Effect.promise(() => import("./CallRequest.js"))
      if (flags.list) return yield* listed(Catalogue.operations, CallRequest.parameters, flags.json)
      if (Option.isNone(flags.operation))
        return yield* stop(1, "say which operation; bidhelm call --list shows all")
      const id = flags.operation.value
      const entry = Catalogue.find(id)
      if (entry === undefined) {
        const { sentence } = yield* Effect.promise(() => import("../engine/language/Suggest.js"))
        const ids = Catalogue.operations.map((one) => one.id)
        return yield* stop(1, `there is no operation "${id}". ${sentence(id, ids)}`)
      }
      const request = CallRequest.read(entry, Option.getOrUndefined(flags.params))
      if (Either.isLeft(request)) return yield* stop(1, request.left)
      if (entry.access === "write" && !flags.yes) {
        return yield* stop(1, `${id} changes the account; nothing was sent. Say --yes if you mean it`)
      }
      const Account = yield* Effect.promise(() => import("./Account.js"))
      const RawCall = yield* Effect.promise(() => import("./RawCall.js"))
      const answer = yield* Account.run(flags, (chosen) => RawCall.run(entry, request.right, chosen))
      yield* flags.json
        ? Output.json("call", { operation: id, answer: answer ?? null })
        : Output.data(JSON.stringify(answer ?? null, null, 2))
    })
).pipe(Command.withDescription(help("call")))

type Entry = import("../services/Catalogue.js").Entry

const listed = (
  operations: ReadonlyArray<Entry>,
  parameters: (entry: Entry) => ReadonlyArray<string>,
  json: boolean
) => {
  const rows = operations.map((entry) => ({
    id: entry.id,
    area: entry.area,
    access: entry.access,
    method: entry.method,
    path: entry.path,
    parameters: parameters(entry)
  }))
  if (json) return Output.json("operations", { operations: rows })
  const width = Math.max(...rows.map((row) => row.id.length))
  return Output.data(
    rows
      .map((row) => `${row.id.padEnd(width)}  ${row.access.padEnd(5)}  ${row.parameters.join(", ")}`)
      .join("\n")
  )
}
