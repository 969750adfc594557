/** `bidhelm call`: one operation, by hand. */
import * as Args from "@effect/cli/Args"
import type * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Plural from "../../domain/Plural.js"
import { Refused } from "../../services/MarketplaceError.js"
import { make } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as Question from "../terminal/Question.js"
import { stop } from "../terminal/Stop.js"

const operation = Args.text({ name: "operation" }).pipe(
  Args.withDescription("Name of the operation; bidhelm call --list names all of them"),
  Args.optional
)
const params = Options.text("params").pipe(
  Options.optional,
  Options.withDescription("Parameters as JSON: the names of the documentation, or {path, urlParams, payload}")
)
const list = Options.boolean("list").pipe(Options.withDescription("List every operation and its parameters"))
const describe = Options.boolean("describe").pipe(
  Options.withDescription("Tell what the operation takes and answers, its errors, limits and quirks")
)
const all = Options.boolean("all").pipe(Options.withDescription("Follow the pages to the end of the list"))
const out = Options.text("out").pipe(
  Options.optional,
  Options.withDescription(
    "Where files of the answer go: a file for a download, a folder for stickers and codes"
  )
)

const dryRun = Options.boolean("dry-run").pipe(Options.withDescription("Only show what it would change"))

export const command = make(
  "call",
  { operation, params, list, describe, all, out, yes: Flags.yes, dryRun, ...Flags.session },
  function* (flags) {
    const Catalogue = yield* Effect.promise(() => import("../../services/Catalogue.js"))
    if (flags.list && Option.isSome(flags.operation))
      return yield* stop(
        1,
        `--list lists every operation and takes no "${flags.operation.value}"; all about one: bidhelm call ${flags.operation.value} --describe`
      )
    if (flags.list) return yield* listed(Catalogue.operations, flags.json)
    if (Option.isNone(flags.operation))
      return yield* stop(1, "say which operation; bidhelm call --list shows all")
    const id = flags.operation.value
    const entry = Catalogue.find(id)
    if (entry === undefined) {
      const { suggestion } = yield* Effect.promise(() => import("./CallList.js"))
      return yield* stop(1, `there is no operation "${id}". ${suggestion(id, Catalogue.operations)}`)
    }
    if (flags.describe) return yield* described(entry, flags.json)
    return yield* called(entry, flags)
  }
)

type Entry = import("../../services/Catalogue.js").Entry
type Quota = import("../../services/Operation.js").Quota
type Flagged = Command.Command.ParseConfig<{
  readonly params: typeof params
  readonly all: typeof all
  readonly out: typeof out
  readonly yes: typeof Flags.yes
  readonly dryRun: typeof dryRun
}> &
  import("../account/Account.js").Flags & { readonly json: boolean }

const listed = (operations: ReadonlyArray<Entry>, json: boolean) =>
  Effect.gen(function* () {
    const CallList = yield* Effect.promise(() => import("./CallList.js"))
    return yield* json
      ? Output.json("operations", { operations: operations.map(CallList.json) })
      : Output.text(CallList.text(operations))
  })

const described = (entry: Entry, json: boolean) =>
  Effect.gen(function* () {
    const CallDescribe = yield* Effect.promise(() => import("./CallDescribe.js"))
    return yield* json
      ? Output.json("operation", CallDescribe.json(entry))
      : Output.text(CallDescribe.text(entry, yield* Clock.currentTimeMillis))
  })

const called = (entry: Entry, flags: Flagged) =>
  Effect.gen(function* () {
    const CallRequest = yield* Effect.promise(() => import("./CallRequest.js"))
    const CallFiles = yield* Effect.promise(() => import("./CallFiles.js"))
    const CallPages = yield* Effect.promise(() => import("./CallPages.js"))
    const OutFile = yield* Effect.promise(() => import("../terminal/OutFile.js"))
    const { id, paging } = entry
    if (flags.dryRun && Option.isSome(flags.out))
      return yield* stop(1, "--dry-run gets no answer that --out could hold; leave one of them out")
    if (flags.all && paging === undefined)
      return yield* stop(1, `${id} answers everything at once; leave --all out`)
    const defaults = flags.all ? CallPages.defaults(entry) : {}
    const request = CallRequest.read(entry, Option.getOrUndefined(flags.params), defaults)
    if (Either.isLeft(request)) {
      const { exampleOf } = yield* Effect.promise(() => import("./CallDescribe.js"))
      return yield* stop(
        1,
        `${request.left}\nAn example: ${exampleOf(entry, yield* Clock.currentTimeMillis)}`
      )
    }
    if (flags.dryRun) return yield* shown(entry, request.right, flags)
    if (entry.access === "write" && !flags.yes)
      return yield* stop(
        1,
        `${id} changes the account; nothing was sent. See what it would change with --dry-run, or say --yes if you mean it`
      )
    if (entry.quota !== undefined && !flags.yes) yield* agreed(entry, entry.quota)
    const place = Option.getOrElse(flags.out, () =>
      entry.file !== undefined ? CallFiles.defaultName(entry, request.right) : undefined
    )
    if (place !== undefined) yield* OutFile.reachable(place, "--out")
    if (place !== undefined) yield* CallFiles.refuseTaken(entry, place)
    if (entry.file !== undefined && Option.isNone(flags.out))
      for (const ending of [".zip", ".csv"]) yield* CallFiles.refuseTaken(entry, place + ending)
    const Account = yield* Effect.promise(() => import("../account/Account.js"))
    const CallWait = yield* Effect.promise(() => import("./CallWait.js"))
    const RawCall = yield* Effect.promise(() => import("./RawCall.js"))
    const OddEntries = yield* Effect.promise(() => import("../../services/OddEntries.js"))
    const PlannedCall = yield* Effect.promise(() => import("./PlannedCall.js"))
    if (PlannedCall.covers(entry)) {
      const done = yield* Account.run(flags, (chosen) => PlannedCall.run(entry, request.right, chosen))
      const { answer, end, found, run } = done
      const ended = Effect.catchAll(end, (error) =>
        error instanceof Refused && entry.area === "supplies" ? supplyRefused(error) : Effect.fail(error)
      )
      return yield* Effect.zipRight(told(id, answer, { files: [], odd: [], run, found }, flags.json), ended)
    }
    const { answer, cutShort, odd, pages } = yield* Account.run(flags, (chosen) => {
      const ask = (one: import("./CallRequest.js").Request) => {
        const call = Effect.zipRight(CallWait.told(entry, chosen), RawCall.run(entry, one, chosen)).pipe(
          Effect.catchTag("Refused", (error) =>
            entry.area === "supplies" ? supplyRefused(error) : Effect.fail(error)
          )
        )
        // What a write looks for before it is sent must be whole.
        return entry.access === "read"
          ? OddEntries.apart(call)
          : Effect.map(call, (found) => ({ answer: found, odd: [] }))
      }
      return flags.all && paging !== undefined
        ? CallPages.all(paging, request.right, ask)
        : Effect.map(ask(request.right), (told) => ({ ...told, cutShort: false, pages: 1 }))
    })
    if (flags.all) yield* Output.note(Plural.of(pages, "page"))
    if (cutShort) yield* Output.note("The walk stops here; the list may go on.")
    const rest =
      odd.length === 0 ? Effect.void : stop(1, `${id}: ${OddEntries.text(odd)}; the others are above`)
    if (place === undefined)
      return yield* Effect.zipRight(told(id, answer ?? null, { files: [], odd }, flags.json), rest)
    if (answer instanceof Uint8Array) {
      const named = Option.isSome(flags.out) ? place : place + CallFiles.ending(answer)
      const { bytes, file } = yield* CallFiles.write(named, answer)
      return yield* told(id, { file, bytes }, { files: [file], odd }, flags.json)
    }
    const unpacked = yield* CallFiles.unpack(place, request.right, answer)
    const { files } = unpacked
    return yield* Effect.zipRight(told(id, unpacked.answer ?? null, { files, odd }, flags.json), rest)
  })

/** What a call would change, as a plan; of an operation that no kind of change covers, the request alone. */
const shown = (entry: Entry, request: import("./CallRequest.js").Request, flags: Flagged) =>
  Effect.gen(function* () {
    const { access, id } = entry
    if (access === "read") return yield* stop(1, `${id} changes nothing; leave --dry-run out`)
    const PlannedCall = yield* Effect.promise(() => import("./PlannedCall.js"))
    if (!PlannedCall.covers(entry)) {
      yield* Output.note(
        "Nothing was sent. What it would change cannot be told beforehand; this is the request:"
      )
      return yield* flags.json
        ? Output.json("call", { operation: id, sent: false, request })
        : Output.data(JSON.stringify(request, null, 2))
    }
    const Account = yield* Effect.promise(() => import("../account/Account.js"))
    yield* Account.run(flags, (chosen) => PlannedCall.shown(entry, request, chosen, flags.json))
  })

/** Why a supply was refused is documented, and so is what helps. */
const supplyRefused = (error: Refused) =>
  Effect.gen(function* () {
    const SupplyRefusals = yield* Effect.promise(
      () => import("../../services/areas/supplies/SupplyRefusals.js")
    )
    return yield* Effect.fail(SupplyRefusals.advised(error, yield* Clock.currentTimeMillis))
  })

/** What is counted per day is gone once it is asked for, whatever comes of it. */
const agreed = ({ id }: Entry, { perDay }: Quota) =>
  Effect.gen(function* () {
    const cost = `${id} takes one of the ${perDay} that the marketplace grants a day`
    if (!Output.answerable())
      return yield* stop(1, `${cost}; nothing was sent. Say --yes if you mean it, or see bidhelm limits`)
    yield* Question.consent(`${cost}. Ask for it?`)
  })

interface Beside {
  readonly files: ReadonlyArray<string>
  readonly odd: ReadonlyArray<{ readonly problem: string }>
  /** Of a call whose changes the history tells. */
  readonly run?: string | undefined
  /** Of one that got no answer and was found done. */
  readonly found?: string | undefined
}

/** Prints the answer, `null` where it says nothing; undefined where none came: nothing then, but for JSON. */
const told = (operation: string, answer: unknown, { files, found, odd, run }: Beside, json: boolean) =>
  json
    ? Output.json("call", {
        operation,
        answer: answer ?? null,
        ...(run === undefined ? {} : { runId: run }),
        ...(found === undefined ? {} : { found }),
        ...(files.length === 0 ? {} : { files }),
        ...(odd.length === 0 ? {} : { unread: odd.map(({ problem }) => problem) })
      })
    : answer === undefined
      ? Effect.void
      : Output.data(JSON.stringify(answer, null, 2))
