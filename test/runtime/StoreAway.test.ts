/** What the log says while the store is away: one line, and one when it is back; nothing else is hidden. */
import { PersistenceError } from "@effect/cluster/ClusterError"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { describe, expect, it } from "vitest"
import * as DaemonLog from "../../src/cli/daemon/DaemonLog.js"
import { StoreFailure } from "../../src/domain/StoreFailure.js"
import * as StoreWatch from "../../src/runtime/StoreWatch.js"
import * as Failure from "../../src/store/clients/Failure.js"

interface Line {
  readonly level: string
  readonly message: string
  readonly event?: string
  readonly why?: string
  readonly cause?: string
}

const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), {
  code: "ECONNREFUSED",
  syscall: "connect"
})
/** Of the server itself, as the driver tells it. */
const said = (code: string, text: string) => Object.assign(new Error(text), { code, severity: "ERROR" })
const failing = (cause: unknown) => Cause.fail(new PersistenceError({ cause: new SqlError({ cause }) }))

const reading = (cause: unknown) => Effect.logWarning("Could not read messages from storage", failing(cause))
const unhealthy = Effect.logError(
  "Shard lock storage is unhealthy",
  Cause.fail(new Cause.TimeoutException("Operation timed out after '2s'"))
)

/** Everything that is due by then happens. */
const pass = (seconds: number) => TestClock.adjust(`${seconds} seconds`)

interface Store {
  isThere: boolean
}

const remedy = "See that PostgreSQL runs"
const asking = (store: Store) =>
  StoreWatch.watching(
    Effect.sync(() => store.isThere),
    remedy
  )

/** The lines of a program whose store answers as `isThere` says. */
const told = async (
  work: (store: Store) => Effect.Effect<unknown, never, Scope.Scope>,
  { isWatched = true, level = "info" as DaemonLog.Options["level"], watching = asking } = {}
): Promise<ReadonlyArray<Line>> => {
  const written: Array<Line> = []
  const store = { isThere: true }
  const watch = watching(store)
  const program = isWatched ? Effect.zipRight(watch, work(store)) : work(store)
  await Effect.runPromise(
    Effect.scoped(program).pipe(
      DaemonLog.writing({ format: "json", level }, (line) => written.push(JSON.parse(line) as Line)),
      Effect.provide(TestContext.TestContext)
    )
  )
  return written
}

/** PostgreSQL that takes everything but, while it is not there, the end of a transaction. */
const refusingCommits = (store: Store): Effect.Effect<void, never, Scope.Scope> => {
  const answer = (statement: string) =>
    statement === "COMMIT" && !store.isThere
      ? Effect.fail(new SqlError({ cause: refused }))
      : Effect.succeed([])
  const connection: Connection = {
    execute: answer,
    executeUnprepared: answer,
    executeRaw: answer,
    executeValues: answer,
    executeStream: () => Stream.empty
  }
  const client = SqlClient.make({
    acquirer: Effect.succeed(connection),
    compiler: PgClient.makeCompiler(),
    spanAttributes: []
  })
  const layer = Layer.scoped(SqlClient.SqlClient, client).pipe(Layer.provide(Reactivity.layer))
  return Effect.asVoid(Layer.build(Layer.provide(StoreWatch.layer(remedy), layer)))
}

const outage = (store: Store) =>
  Effect.gen(function* () {
    store.isThere = false
    for (let second = 0; second < 30; second++) {
      yield* reading(refused)
      yield* Effect.logWarning("no account can be looked at: PostgreSQL does not answer")
      yield* pass(1)
    }
    yield* unhealthy
    store.isThere = true
    yield* pass(3)
    yield* Effect.logInfo("Shard lock storage has recovered")
  })

describe("while the store is away", () => {
  it("the log says so once, without a stack, and once that it is back", async () => {
    const lines = await told(outage)
    expect(lines.map(({ event, level, message }) => event ?? `${level} ${message}`)).toEqual([
      "warning no account can be looked at: PostgreSQL does not answer",
      "store_away",
      "store_back"
    ])
    expect(lines[1]).toMatchObject({ level: "error", why: "connect ECONNREFUSED 127.0.0.1:5432" })
    expect(lines[1]?.message).toMatch(/away since .* Nothing is sent .* goes on by itself .* See that/)
    expect(JSON.stringify(lines)).not.toMatch(/ {4}at /)
  })

  it("the log says so once of a SQLite file that was moved as well", async () => {
    const text = "the store's file store.sqlite was moved or deleted while bidhelm works with it"
    const moved = Object.assign(new Error(text), { code: Failure.movedCode })
    const lines = await told((store) =>
      Effect.gen(function* () {
        store.isThere = false
        yield* Effect.repeatN(Effect.zipRight(reading(moved), pass(1)), 20)
        store.isThere = true
        yield* pass(3)
      })
    )
    expect(lines.map(({ event }) => event)).toEqual(["store_away", "store_back"])
    expect(lines[0]?.why).toBe(text)
  })

  it("the log says so anew when it goes away another time", async () => {
    const lines = await told((store) => Effect.zipRight(outage(store), outage(store)))
    const events = lines.flatMap(({ event }) => event ?? [])
    expect(events).toEqual(["store_away", "store_back", "store_away", "store_back"])
  })

  it("the watch goes on though a commit of its own question fails", async () => {
    const lines = await told((store) => Effect.zipRight(outage(store), outage(store)), {
      watching: refusingCommits
    })
    const events = lines.flatMap(({ event }) => event ?? [])
    expect(events).toEqual(["store_away", "store_back", "store_away", "store_back"])
  })

  it("it is not back as long as somebody is still refused, though it answers", async () => {
    const lines = await told(() =>
      Effect.repeatN(
        Effect.zipRight(reading(said("57P03", "the database system is starting up")), pass(1)),
        20
      )
    )
    expect(lines.map(({ event }) => event)).toEqual(["store_away"])
  })

  it("what fails for another reason is told each time, with its cause", async () => {
    const lines = await told((store) =>
      Effect.gen(function* () {
        store.isThere = false
        yield* reading(refused)
        yield* pass(1)
        for (const code of ["42501", "53300", "XX001"]) yield* reading(said(code, `refused with ${code}`))
        yield* reading(said("28P01", 'password authentication failed for user "x"'))
        yield* Effect.logError("bidhelm has a defect", Cause.die(new Error("no such row")))
        yield* Effect.logError("bidhelm has a defect", Cause.die(new Error("no such row")))
        yield* Effect.logError("both", Cause.parallel(failing(refused), Cause.die(new Error("and a defect"))))
      })
    )
    const causes = lines.slice(1).map(({ cause }) => cause)
    expect(lines[0]?.event).toBe("store_away")
    expect(causes).toHaveLength(7)
    for (const [at, words] of [
      "42501",
      "53300",
      "XX001",
      "password",
      "no such row",
      "no such row",
      "defect"
    ].entries())
      expect(causes[at]).toContain(words)
  })

  it("a line of our own keeps its words and loses the stack of what is known", async () => {
    const failure = new StoreFailure({
      action: "could not purge",
      hint: "PostgreSQL does not answer",
      cause: new SqlError({ cause: refused })
    })
    const lines = await told(() =>
      Effect.zipRight(Effect.logWarning("it tries again tomorrow", Cause.fail(failure)), pass(1))
    )
    expect(lines.map(({ event, message }) => event ?? message)).toEqual([
      "it tries again tomorrow",
      "store_away"
    ])
    expect(lines[0]).not.toHaveProperty("cause")
  })

  it("the level debug tells every failure with its cause", async () => {
    const lines = await told(outage, { level: "debug" })
    const causes = lines.flatMap(({ cause, message }) =>
      message.startsWith("Could not read") ? [cause] : []
    )
    expect(causes).toHaveLength(30)
    expect(causes[29]).toMatch(/ECONNREFUSED/)
  })
})

describe("the log leaves nothing out", () => {
  it("when the locks of the cluster break for another reason", async () => {
    const lines = await told(() =>
      Effect.zipRight(
        Effect.logError("Shard lock storage is unhealthy", failing(said("42501", "permission denied"))),
        Effect.logInfo("Shard lock storage has recovered")
      )
    )
    expect(lines.map(({ level }) => level)).toEqual(["error", "info"])
    expect(lines[0]?.cause).toContain("permission denied")
  })

  it("when nobody watches the store", async () => {
    const lines = await told(outage, { isWatched: false })
    expect(lines.filter(({ message }) => message.startsWith("Could not read"))).toHaveLength(30)
  })

  it("when it is a marketplace that refuses connections", async () => {
    const lines = await told((store) =>
      Effect.gen(function* () {
        store.isThere = false
        yield* Effect.logWarning("the call failed", Cause.fail(refused))
        yield* pass(5)
        yield* Effect.logWarning("the call failed", Cause.fail(refused))
      })
    )
    expect(lines.map(({ message }) => message)).toEqual(["the call failed", "the call failed"])
    expect(lines[1]?.cause).toContain("ECONNREFUSED")
  })
})

describe("that no runner is left", () => {
  it("is told while the program works, and not when it closes down", async () => {
    const nobody = Effect.logWarning("No healthy runners available")
    const lines = await told(() =>
      Effect.zipRight(
        nobody,
        Effect.addFinalizer(() => nobody)
      )
    )
    expect(lines).toHaveLength(2)
    const written: Array<string> = []
    await Effect.runPromise(
      Effect.scoped(
        Effect.addFinalizer(() => nobody).pipe(
          Effect.zipRight(nobody),
          DaemonLog.writing({ format: "text", level: "info" }, (line) => written.push(line))
        )
      )
    )
    expect(written).toHaveLength(1)
  })
})
