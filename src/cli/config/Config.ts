/**
 * `bidhelm.yaml`: accounts, hosts, store, and the few words by which one marketplace differs from another. Unknown
 * keys are refused with the nearest right one; every problem is told at once, at its line. A token is never written
 * in it: only where to find it.
 */

import { dirname, isAbsolute, join } from "node:path"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Money from "../../domain/Money.js"
import type { Problems } from "../../engine/language/problems/Diagnostic.js"
import * as Node from "../../engine/language/yaml/Node.js"
import * as Source from "../../engine/language/yaml/Source.js"
import * as Yaml from "../../engine/language/yaml/Yaml.js"
import type { TokenKind } from "../../services/Operation.js"
import type * as Token from "../../services/Token.js"
import * as Retention from "../../store/retention/RetentionDays.js"
import * as Duration from "../terminal/Duration.js"
import { Fields, isLoopback } from "./ConfigFields.js"
import type { Refused } from "./ConfigProblems.js"
import * as ConfigProblems from "./ConfigProblems.js"
import * as StoreField from "./StoreField.js"

export interface Account {
  readonly name: string
  readonly token: Token.Place
  /** Where the configuration says so, of a file: `bidhelm.yaml:5`. */
  readonly tokenAt?: string
  /** Overrides the kind read from the token. */
  readonly tokenKind: TokenKind | undefined
  /** The account of a local sandbox: the program's clock follows the sandbox's. */
  readonly sandbox: boolean
}

export interface Config {
  readonly accounts: ReadonlyArray<Account>
  /** Base URLs, without a slash at the end; orders and analytics need theirs only when they are used. */
  readonly hosts: {
    readonly advert: string
    readonly calendar: string
    readonly marketplace?: string
    readonly analytics?: string
  }
  /** Header that carries the token, and the word before it; an empty scheme sends the bare token. */
  readonly header: { readonly name: string; readonly scheme: string }
  /** What the operator writes where the documentation says `platform`. */
  readonly word: string
  /** IANA name of the seller's zone: timetables, daytimes, days of its own limits, instants in words. */
  readonly timeZone: string
  readonly currency: string
  readonly store: StoreField.StorePlace
  /** Path of the SQLite file; beside PostgreSQL the file is not there, but its folder holds what is of this machine. */
  readonly storePath: string
  /** Path of the link that `store:` names, where it names one: a file `STOP` beside it counts too. */
  readonly storeLink?: string
  /** For how many days plans, journal and reports are kept. */
  readonly keep?: Retention.Keep
  /** For how many days the facts of plans are kept, for `bidhelm backtest`; the store decides when absent. */
  readonly snapshotDays?: number
  /** Of `bidhelm run`; what is not said has the values of `runtime/Settings`. */
  readonly runner?: {
    readonly listen?: Address
    readonly http?: Address
    /** Where the key is that the figures are given for; always there when `http` can be reached from other machines. */
    readonly httpKey?: Token.Place
    /** Names that others ask `http` by; addresses need none. */
    readonly httpNames?: ReadonlyArray<string>
    readonly shards?: number
    readonly lockSeconds?: number
    /** How many accounts plan at the same time; `AccountTurn` decides when absent. */
    readonly plansAtOnce?: number
    readonly log?: "json" | "text"
    readonly logLevel?: "debug" | "info" | "warning" | "error"
  }
  /** Where traces, figures and the log are sent, and the environment variable that holds the headers for it. */
  readonly telemetry?: { readonly otlp: string; readonly headersFrom?: string }
  readonly rulesFolder: string
  readonly maxWaitMs: number | undefined
  /** Steps of bids, instead of those the marketplace reports. */
  readonly bidStep: { readonly cpm?: Money.Kopecks; readonly cpc?: Money.Kopecks }
}

export interface Address {
  readonly host: string
  readonly port: number
}

/** The line of a value. */
type LineOf = (at: ReadonlyArray<string | number>) => number

/** Reads the text of a configuration; relative paths in it are relative to its folder. */
export const read = (path: string, content: string): Either.Either<Config, Refused> => {
  const hidden = ConfigProblems.masked(content)
  const whole = Source.make(path, hidden)
  const { root, problems } = Yaml.parse(whole)
  if (root === undefined || problems.count > 0)
    return Either.left(ConfigProblems.told(path, hidden, root, problems.list()))
  if (root._tag !== "Map") {
    problems.error("K16", root.range, ConfigProblems.noKeys(root))
    return Either.left(ConfigProblems.told(path, hidden, root, problems.list()))
  }
  const lineOf: LineOf = (at) => Source.lineOf(whole, rangeAt(root, at).start)
  const unknown = ConfigProblems.unknown(root, Fields.ast, problems)
  const refused = () => {
    const source = Source.make(path, ConfigProblems.blotted(hidden, root, unknown))
    return Either.left({ problems: problems.list(), source })
  }
  const decoded = Schema.decodeUnknownEither(Fields)(valueOf(root), {
    errors: "all",
    onExcessProperty: "ignore"
  })
  if (Either.isLeft(decoded)) addIssues(root, decoded.left, problems)
  else addContradictions(root, decoded.right, problems)
  return Either.isLeft(decoded) || problems.count > 0
    ? refused()
    : Either.right(make(path, decoded.right, lineOf))
}

/** One spelling of a name, however its accents were typed: plans, journal and locks know an account by it. */
export const accountName = (name: string): string => name.normalize("NFC")

const make = (path: string, fields: Fields, lineOf: LineOf): Config => {
  const place = (file: string): string => (isAbsolute(file) ? file : join(dirname(path), file))
  const store = StoreField.placeOf(fields.store, fields.store_password, place)
  const written = StoreField.written(fields.store, place)
  return {
    accounts: fields.accounts.map((account, i) => ({
      name: accountName(account.name),
      ...(account.token.env === undefined ? { tokenAt: `${path}:${lineOf(["accounts", i, "token"])}` } : {}),
      token:
        account.token.env !== undefined
          ? { _tag: "Environment", name: account.token.env }
          : { _tag: "File", path: place(account.token.file ?? "") },
      tokenKind: account.token_kind,
      sandbox: account.sandbox ?? false
    })),
    hosts: {
      advert: trimmed(fields.hosts.advert),
      calendar: trimmed(fields.hosts.calendar),
      ...(fields.hosts.marketplace === undefined ? {} : { marketplace: trimmed(fields.hosts.marketplace) }),
      ...(fields.hosts.analytics === undefined ? {} : { analytics: trimmed(fields.hosts.analytics) })
    },
    header: { name: fields.header?.name ?? "Authorization", scheme: fields.header?.scheme ?? "Bearer" },
    word: fields.word ?? "platform",
    timeZone: fields.time_zone ?? "Europe/Moscow",
    currency: fields.currency ?? "RUB",
    store,
    storePath:
      store._tag === "Sqlite"
        ? store.path
        : join(place(fields.machine_folder ?? ".bidhelm"), "bidhelm.sqlite"),
    ...(written === undefined || (store._tag === "Sqlite" && written === store.path)
      ? {}
      : { storeLink: written }),
    keep: {
      plansDays: fields.keep?.plans_days ?? Retention.usual.plansDays,
      journalDays: fields.keep?.journal_days ?? Retention.usual.journalDays,
      reportsDays: fields.keep?.reports_days ?? Retention.usual.reportsDays
    },
    ...(fields.snapshot_days === undefined ? {} : { snapshotDays: fields.snapshot_days }),
    ...(fields.runner === undefined ? {} : { runner: runnerOf(fields.runner, place) }),
    ...(fields.telemetry === undefined ? {} : { telemetry: telemetryOf(fields.telemetry) }),
    rulesFolder: place(fields.rules ?? "./rules"),
    maxWaitMs: fields.max_wait === undefined ? undefined : Duration.parse(fields.max_wait),
    bidStep: {
      ...(fields.bid_step?.cpm === undefined ? {} : { cpm: kopecks(fields.bid_step.cpm) }),
      ...(fields.bid_step?.cpc === undefined ? {} : { cpc: kopecks(fields.bid_step.cpc) })
    }
  }
}

const telemetryOf = ({ headers, otlp }: NonNullable<Fields["telemetry"]>) => ({
  otlp: trimmed(otlp),
  ...(headers === undefined ? {} : { headersFrom: headers.env })
})

const runnerOf = (
  {
    http,
    http_key,
    http_names,
    listen,
    lock_seconds,
    log,
    log_level,
    plans_at_once,
    shards
  }: NonNullable<Fields["runner"]>,
  place: (file: string) => string
): NonNullable<Config["runner"]> => ({
  ...(listen === undefined ? {} : { listen: addressOf(listen) }),
  ...(http === undefined ? {} : { http: addressOf(http) }),
  ...(http_key === undefined ? {} : { httpKey: keyPlaceOf(http_key, place) }),
  ...(http_names === undefined ? {} : { httpNames: http_names }),
  ...(shards === undefined ? {} : { shards }),
  ...(lock_seconds === undefined ? {} : { lockSeconds: lock_seconds }),
  ...(plans_at_once === undefined ? {} : { plansAtOnce: plans_at_once }),
  ...(log === undefined ? {} : { log }),
  ...(log_level === undefined ? {} : { logLevel: log_level })
})

const keyPlaceOf = (
  { env, file }: { readonly env?: string; readonly file?: string },
  place: (file: string) => string
): Token.Place =>
  env === undefined ? { _tag: "File", path: place(file ?? "") } : { _tag: "Environment", name: env }

const addressOf = (text: string): Address => {
  const at = text.lastIndexOf(":")
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ""), port: Number(text.slice(at + 1)) }
}

const trimmed = (url: string): string => url.replace(/\/+$/, "")

const kopecks = (amount: string): Money.Kopecks =>
  Either.getOrElse(Money.fromDecimal(amount.replace(/\s?₽$/, "")), () => Money.Kopecks(0))

/** What each field says well but two of them together do not. */
const addContradictions = (root: Node.Node, fields: Fields, problems: Problems): void => {
  const local = Object.values(fields.hosts).every(isLoopback)
  if (fields.store_password !== undefined && !StoreField.isPostgres(fields.store ?? "")) {
    problems.error("K16", rangeAt(root, ["store_password"]), "Only a postgres:// store has a password.")
  }
  if (fields.machine_folder !== undefined && !StoreField.isPostgres(fields.store ?? "")) {
    problems.error(
      "K16",
      rangeAt(root, ["machine_folder"]),
      "Only beside a postgres:// store; with SQLite it is the folder of the file."
    )
  }
  const { http, http_key, http_names } = fields.runner ?? {}
  if (http !== undefined && http_key === undefined && !isLoopback(`http://${http}`)) {
    problems.error(
      "K16",
      rangeAt(root, ["runner", "http"]),
      "Other machines reach this address, so the figures need a key: http_key: {file: PATH} or {env: NAME} beside it. Without one: 127.0.0.1:9464."
    )
  }
  if (http_key !== undefined && http === undefined) {
    problems.error(
      "K16",
      rangeAt(root, ["runner", "http_key"]),
      "A key for nothing: http is missing beside it."
    )
  }
  if (http_names !== undefined && http === undefined) {
    problems.error(
      "K16",
      rangeAt(root, ["runner", "http_names"]),
      "Names for nothing: http is missing beside them."
    )
  }
  const names = new Set<string>()
  for (const [i, account] of fields.accounts.entries()) {
    const place = (key: string) => rangeAt(root, ["accounts", i, key])
    if (account.sandbox === true && !local) {
      problems.error(
        "K16",
        place("sandbox"),
        "A sandbox account needs hosts on this machine: http://127.0.0.1:8090."
      )
    }
    const name = accountName(account.name)
    if (names.has(name)) problems.error("K16", place("name"), "Two accounts have this name.")
    names.add(name)
  }
}

const addIssues = (root: Node.Node, error: ParseResult.ParseError, problems: Problems): void => {
  for (const issue of ParseResult.ArrayFormatter.formatErrorSync(error)) {
    const path = issue.path.filter((key) => typeof key !== "symbol")
    const written = entryAt(root, path)
    // That it has no value was reported.
    if (written !== undefined && Node.isEmpty(written.value)) continue
    if (issue._tag === "Missing")
      problems.error("K13", rangeAt(root, path), `${path.join(".")} is missing here.`)
    else problems.error("K16", rangeAt(root, path), issue.message)
  }
}

/** The place of a value, or of the nearest thing around it that is there. */
const rangeAt = (node: Node.Node, path: ReadonlyArray<string | number>): Source.Range => {
  const [head, ...rest] = path
  const child =
    typeof head === "number" ? itemOf(node, head) : head === undefined ? undefined : Node.get(node, head)
  if (child !== undefined) return rangeAt(child, rest)
  // A whole map would underline pages; its first key says where it begins.
  const first = node._tag === "Map" && path.length > 0 ? node.entries[0]?.keyRange : undefined
  return first ?? node.range
}

const entryAt = (node: Node.Node, path: ReadonlyArray<string | number>): Node.Entry | undefined => {
  const [head, ...rest] = path
  if (typeof head === "number") {
    const item = itemOf(node, head)
    return item === undefined ? undefined : entryAt(item, rest)
  }
  const found = head === undefined ? undefined : Node.entry(node, head)
  return found === undefined || rest.length === 0 ? found : entryAt(found.value, rest)
}

const itemOf = (node: Node.Node, index: number): Node.Node | undefined =>
  node._tag === "List" ? node.items[index] : undefined

const valueOf = (node: Node.Node): unknown => {
  if (node._tag === "List") return node.items.map(valueOf)
  if (node._tag === "Map") {
    const filled = node.entries.filter(({ value }) => !Node.isEmpty(value))
    return Object.fromEntries(filled.map(({ key, value }) => [key, valueOf(value)]))
  }
  return node.kind === "number" ? Number(node.text) : node.kind === "yesNo" ? node.text === "true" : node.text
}
