/**
 * One seed: an account, its rules, and everything that goes wrong, for some hours of virtual time; then all is healed
 * and the program gets two hours to come to rest. What was seen is handed to the oracles.
 */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as RuntimeFlagsPatch from "effect/RuntimeFlagsPatch"
import * as Schema from "effect/Schema"
import { Change } from "../../../src/engine/kinds/Change.js"
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import * as Sandbox from "../../../src/sandbox/Sandbox.js"
import { defaultSeller } from "../../../src/sandbox/SandboxToken.js"
import * as AuditVerify from "../../../src/store/audit/AuditVerify.js"
import * as SqliteClient from "../../../src/store/clients/SqliteClient.js"
import * as InMemoryHttp from "../../scenario/InMemoryHttp.js"
import * as Scenario from "../../scenario/Scenario.js"
import * as VirtualClock from "../../scenario/VirtualClock.js"
import { Chance } from "./Chance.js"
import * as Driver from "./Driver.js"
import * as Events from "./Events.js"
import * as Humans from "./Humans.js"
import * as Leaks from "./Leaks.js"
import * as Machine from "./Machine.js"
import * as People from "./People.js"
import { account, type Wrap } from "./Program.js"
import type * as Record from "./Record.js"
import * as RuleSets from "./RuleSets.js"
import * as Shops from "./Shops.js"
import { Stage } from "./Stage.js"
import * as Wire from "./Wire.js"

export interface Options {
  readonly seed: number
  readonly hours: number
  /** A planted bug. */
  readonly wrap?: Wrap
  /** Instead of the drawn ones, for tests of one thing. */
  readonly events?: ReadonlyArray<Events.Event>
  readonly versions?: ReadonlyArray<RuleSet>
  readonly driver?: Driver.Driver
  /** Whether buyers answer to promotions; in half of the ordinary seeds they do. */
  readonly buyers?: boolean
  /**
   * For months: told every so many hours what was noted since the last time, which is then forgotten, and the store's
   * size. The seller sees to it that there is always something to steer.
   */
  readonly soak?: {
    readonly everyHours: number
    readonly judge: (observed: Record.Observed) => void
    readonly sample: (storeBytes: number) => void
  }
}

export interface Outcome {
  readonly observed: Record.Observed
  readonly trace: ReadonlyArray<string>
  /** Hash of the trace: the same seed gives the same. */
  readonly hash: string
  readonly crashes: number
  /** What happened how often. */
  readonly counts: ReadonlyMap<string, number>
}

const hourMs = 3_600_000
const scale = { campaigns: 3, items: 3, clusters: 4 }
const memory = "/dev/shm"

/** The journal is what the oracles read in the end, so tidying leaves it alone here. */
const keep = { plansDays: 1, journalDays: 400, reportsDays: 1 }
const keepInSoak = { plansDays: 3, journalDays: 10, reportsDays: 3 }

/** More than the writes between two judgements. */
const entriesInSoak = 5000

/** What an ordinary seed draws: its events, and the versions of its rules that are wanted. */
export const drawn = (
  seed: number,
  hours: number
): Required<Pick<Options, "buyers" | "events" | "versions">> => {
  const events = Events.draw(seed, Scenario.startMs, Scenario.startMs + hours * hourMs)
  return { events, versions: RuleSets.draw(seed, wanted(events)), buyers: answering(seed) }
}

/** The same with the policies of orders alone, whose turns take a fifth of the time of all. */
export const ofOrders = (seed: number, hours: number): ReturnType<typeof drawn> => {
  const { versions, ...others } = drawn(seed, hours)
  return { ...others, versions: versions.map((rules) => ({ ...rules, policies: [] })) }
}

/** Whether buyers of an ordinary seed answer to promotions. */
const answering = (seed: number): boolean => new Chance(seed, "buyers").happens(0.5)

const wanted = (events: ReadonlyArray<Events.Event>): ReadonlySet<number> =>
  new Set(events.flatMap((event) => (event._tag === "Rules" ? [event.version] : [])))

/** Runs a seed from beginning to end. Nobody reads Effect's own count of its fibers. */
export const run = async (options: Options): Promise<Outcome> => {
  const disk = new Machine.Disk(`${options.seed}`, existsSync(memory) ? memory : undefined)
  const time = VirtualClock.make(Scenario.startMs)
  try {
    return await Effect.runPromise(
      time
        .run(Effect.scoped(story(options, disk, time)))
        .pipe(
          Effect.provide(Logger.remove(Logger.defaultLogger)),
          Effect.withTracerEnabled(false),
          Effect.withRuntimeFlagsPatch(RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics)),
          Effect.withRandom(Random.make(options.seed))
        )
    )
  } finally {
    disk.remove()
  }
}

const story = (options: Options, disk: Machine.Disk, time: VirtualClock.VirtualTime) =>
  Effect.gen(function* () {
    const { hours, seed } = options
    const ledgerEntries = options.soak === undefined ? Number.POSITIVE_INFINITY : entriesInSoak
    const { buyers = options.events === undefined && answering(seed) } = options
    const marketplace = yield* Layer.build(InMemoryHttp.layer({ seed, scale, ledgerEntries, buyers }))
    yield* People.knownForAMonth(disk.filename)
    const fromMs = time.now()
    const sandbox = Context.get(marketplace, Sandbox.Sandbox)
    const healedAt = fromMs + hours * hourMs
    const drawn = options.events ?? Events.draw(seed, fromMs, healedAt)
    const events = options.soak === undefined ? drawn : drawn.filter(Events.isLasting)
    const versions = options.versions ?? RuleSets.draw(seed, wanted(events))
    if (versions.some(({ fulfilment }) => fulfilment.length > 0)) Shops.open(sandbox, fromMs)
    const stage = new Stage({
      seed,
      disk,
      time,
      versions,
      sandbox,
      base: Context.get(marketplace, HttpClient.HttpClient),
      wrap: options.wrap ?? {},
      driver: options.driver ?? Driver.supervised,
      keep: options.soak === undefined ? keep : keepInSoak
    })
    if (options.soak !== undefined) {
      yield* Effect.forkScoped(sampled(stage, options.soak, fromMs, healedAt))
      yield* Effect.forkScoped(renewed(stage))
    }
    yield* stage.play(events, healedAt).pipe(Effect.provide(Leaks.logger(stage.record, time)))
    Leaks.inStore(stage.record, disk, time.now())
    options.wrap?.tamper?.(disk.filename)
    const chain = yield* verified(disk)
    return outcome(stage, fromMs, healedAt, chain)
  })

const sampled = (
  stage: Stage,
  { everyHours, judge, sample }: NonNullable<Options["soak"]>,
  fromMs: number,
  healedAt: number
) =>
  Effect.forever(
    Effect.delay(
      Effect.sync(() => {
        const { time } = stage.parts
        judge(observedOf(stage, { fromMs, toMs: time.now(), healedAt, chain: [] }))
        stage.record.forget(time.now())
        sample(stage.parts.disk.bytes)
      }),
      everyHours * hourMs
    )
  )

const renewed = ({ parts: { sandbox, time } }: Stage) =>
  Effect.forever(
    Effect.delay(
      Effect.sync(() => Humans.renew(sandbox, time.now())),
      24 * hourMs
    )
  )

/** The chain as somebody reads it beside the program; there is none before the first run. */
const verified = (disk: Machine.Disk): Effect.Effect<ReadonlyArray<string>> =>
  disk.read("SELECT run_id FROM runs LIMIT 1").length === 0 ? Effect.succeed([]) : chainOf(disk)

const chainOf = (disk: Machine.Disk) =>
  AuditVerify.verify(account).pipe(
    Effect.provide(SqliteClient.layer({ filename: disk.filename, readOnly: true })),
    Effect.map(({ breaks }) => breaks.map(({ seq, what }) => `row ${seq}: ${what}`)),
    Effect.orDie
  )

const outcome = (stage: Stage, fromMs: number, healedAt: number, chain: ReadonlyArray<string>): Outcome => {
  const { counts, crashes, trace } = stage.record
  const observed = observedOf(stage, { fromMs, toMs: stage.parts.time.now(), healedAt, chain })
  const ledger = observed.ledger.map((entry) => JSON.stringify(entry))
  const hash = createHash("sha256")
    .update([...trace, ...ledger].join("\n"))
    .digest("hex")
  return { observed, trace, hash, crashes, counts }
}

/** What is known of the time since anything was last forgotten. */
const observedOf = (
  stage: Stage,
  times: Pick<Record.Observed, "fromMs" | "toMs" | "healedAt" | "chain">
): Record.Observed => {
  const { disk, sandbox, seed, versions } = stage.parts
  const { counts: _, crashes: __, trace: ___, secrets: ____, forgottenTo, ...noted } = stage.record
  const { entries } = sandbox.ledger
  return {
    ...noted,
    ...times,
    forgottenTo,
    seed,
    ledger: forgottenTo === undefined ? entries : entries.filter(({ at }) => at >= forgottenTo),
    world: sandbox.world(defaultSeller),
    seller: defaultSeller,
    rows: disk.read("SELECT * FROM changes ORDER BY run_id, position").map(rowOf),
    versions
  }
}

const decode = Schema.decodeUnknownEither(Schema.parseJson(Change))

const rowOf = (row: { readonly [column: string]: unknown }): Record.Row => ({
  ...Wire.claimed(row),
  policy: String(row.policy),
  updatedAt: Number(row.updated_at),
  reason: row.reason === null ? null : String(row.reason),
  change: String(row.change),
  decoded: decode(String(row.change))._tag === "Right"
})
