/** `bidhelm sandbox`: the local marketplace until interrupted. */
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Plural from "../../domain/Plural.js"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"

const port = Options.integer("port").pipe(
  Options.withDefault(8090),
  Options.withDescription("Port on 127.0.0.1; 0 takes a free one")
)
const seed = Options.integer("seed").pipe(
  Options.withDefault(1),
  Options.withDescription("The same seed gives the same marketplace")
)
const speed = Options.float("speed").pipe(
  Options.withDefault(1),
  Options.withDescription("How many times faster its clock runs, 0.1 to 1000")
)
const scale = Flags.text("scale", "Size, such as campaigns=100,items=10,clusters=50")

const testEnvironment = Flags.flag(
  "test-environment",
  "Play the marketplace's test environment: Test tokens, one request per second"
)
const buyers = Flags.flag(
  "buyers",
  "Buyers answer to promotions: who is in a running one sells at its plan price, and more"
)
const market = Flags.text(
  "market",
  "Market: plain, lean or hard, and parts such as hard,rivals=still,price=second"
)

const strict = Flags.flag("strict", "End with 1 at the first request that breaks a call limit")

const printToken = Flags.flag("print-token", "Print the token of its account and end")

export const command = Command.make(
  "sandbox",
  { port, seed, speed, scale, market, testEnvironment, buyers, strict, printToken, json: Flags.json },
  function* ({ buyers, json, market, port, printToken, scale, seed, speed, strict, testEnvironment }) {
    yield* Effect.gen(function* () {
      const Scale = yield* Effect.promise(() => import("../../sandbox/market/Scale.js"))
      const { sandboxToken } = yield* Effect.promise(() => import("../../sandbox/SandboxToken.js"))
      const token = sandboxToken({ test: testEnvironment })
      if (printToken) return yield* json ? Output.json("sandbox", { token }) : Output.data(token)
      const Server = yield* Effect.promise(() => import("./SandboxServer.js"))
      const size = Option.match(scale, { onNone: () => Either.right(Scale.demo), onSome: Scale.parse })
      if (Either.isLeft(size)) return yield* stop(1, `--scale: ${size.left}`)
      const Model = yield* Effect.promise(() => import("../../sandbox/market/model/Model.js"))
      const model = Option.match(market, { onNone: () => Either.right(Model.plain), onSome: Model.parse })
      if (Either.isLeft(model))
        return yield* stop(1, model.left.map((problem) => `--market: ${problem}`).join("\n"))
      if (!(speed >= 0.1 && speed <= 1000)) return yield* stop(1, "--speed must be between 0.1 and 1000")
      if (port < 0 || port > 65_535) return yield* stop(1, "--port must be between 0 and 65535")
      const { breaches, url } = yield* Server.open({
        port,
        seed,
        speed,
        scale: size.right,
        testEnvironment,
        buyers,
        market: model.right
      })
      if (json)
        yield* Output.json("sandbox", { url, token, seed, speed, scale: size.right, market: model.right })
      else {
        const { campaigns, clusters, items } = size.right
        yield* Output.text(`The sandbox marketplace answers at ${url}`)
        yield* Output.text(
          `  ${Plural.of(campaigns, "campaign")} of ${Plural.of(items, "item")} of ${Plural.of(clusters, "cluster")}, seed ${seed}, speed ${speed}`
        )
        yield* Output.text("In another terminal:")
        yield* Output.data(`  export BIDHELM_TOKEN=${token}`)
        yield* Output.data("  bidhelm plan")
        yield* Output.note("Ctrl-C ends it.")
      }
      return yield* strict ? failOnBreach(breaches) : Effect.never
    }).pipe(Effect.scoped)
  }
)

/** Never ends unless a limit is broken. */
const failOnBreach = (breaches: Effect.Effect<ReadonlyArray<string>>) =>
  breaches.pipe(
    Effect.delay("100 millis"),
    Effect.repeat({ until: (ids) => ids.length > 0 }),
    Effect.flatMap((ids) => stop(1, `a request broke the limit of ${ids.join(", ")}`))
  )
