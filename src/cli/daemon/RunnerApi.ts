/**
 * What a running `bidhelm run` answers over HTTP, endpoint by endpoint. `WatchApi` is for whoever watches over the program,
 * at the address `runner: http`; `ControlApi` is for commands of the same user, at a socket that no other may open. They
 * share no server: nothing of control can be reached from the network. A page for people joins `WatchApi` as a group.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as Exposition from "./Exposition.js"
import * as Forwarding from "./Forwarding.js"

/** Reasons are told to those who may hear them; the others hear yes or no. */
const reasons = { why: Schema.optional(Schema.String), rulesProblem: Schema.optional(Schema.String) }

const health = HttpApiGroup.make("health")
  .add(HttpApiEndpoint.get("alive", "/healthz").addSuccess(Schema.Struct({ alive: Schema.Literal(true) })))
  .add(
    HttpApiEndpoint.get("ready", "/readyz")
      .addSuccess(Schema.Struct({ ready: Schema.Literal(true), ...reasons }))
      .addError(Schema.Struct({ ready: Schema.Literal(false), ...reasons }), { status: 503 })
  )

/** The key of `runner: http_key` was not shown. */
export class KeyMissing extends Schema.TaggedError<KeyMissing>()("KeyMissing", { message: Schema.String }) {}

const metrics = HttpApiGroup.make("metrics").add(
  HttpApiEndpoint.get("figures", "/metrics")
    .addSuccess(HttpApiSchema.Text({ contentType: Exposition.contentType }))
    .addError(KeyMissing, { status: 401 })
)

export const WatchApi = HttpApi.make("watch").add(health).add(metrics)

/** The program does not take a command. */
export class NotTaken extends Schema.TaggedError<NotTaken>()("NotTaken", { message: Schema.String }) {}

/** A command as it was typed, where it was typed; `config` is the absolute path of the configuration. */
const Command = Schema.Struct({
  argv: Schema.Array(Schema.String),
  cwd: Schema.String,
  config: Schema.String,
  coloured: Schema.optionalWith(Schema.Boolean, { exact: true })
})

/** A line for a command that listens. */
const Said = Schema.Struct({ to: Schema.Int, line: Schema.NullOr(Schema.String) })

const control = HttpApiGroup.make("control")
  // Whoever reads it knows the version it understands (`RunStatus`).
  .add(HttpApiEndpoint.get("status", Forwarding.statusPath).addSuccess(Schema.Unknown))
  .add(
    HttpApiEndpoint.post("command", Forwarding.commandPath)
      .setPayload(Command)
      // Lines of `Forwarding.Part`, as they are printed.
      .addSuccess(HttpApiSchema.Text({ contentType: "application/x-ndjson" }))
      .addError(NotTaken, { status: 409 })
  )
  .add(
    HttpApiEndpoint.post("input", Forwarding.inputPath).setPayload(Said).addError(NotTaken, { status: 409 })
  )

export const ControlApi = HttpApi.make("control").add(control)
