/** The keys of `bidhelm.yaml`, what each may hold, and what to say when it does not. */
import * as Schema from "effect/Schema"
import * as Settings from "../../runtime/Settings.js"
import * as StoreField from "./StoreField.js"

/** Loopback addresses: the only hosts a sandbox may have, and the only ones without TLS. */
export const isLoopback = (url: string): boolean =>
  URL.canParse(url) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)

/** A field whose every failure is said in one sentence. */
const field = <A, I>(schema: Schema.Schema<A, I>, says: string) =>
  schema.annotations({ message: () => ({ message: says, override: true }) })

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const matching = (pattern: RegExp, says: string) => field(Schema.String.pipe(Schema.pattern(pattern)), says)

/** What an environment variable may be called. */
const variable = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

const hasUser = (url: string): boolean =>
  URL.canParse(url) && (new URL(url).username !== "" || new URL(url).password !== "")

/** The address of a host; a name and a password within it would be told and logged with it. */
const hostOf = (says: string, instead: string) =>
  Schema.String.pipe(
    Schema.filter(
      (url) => URL.canParse(url) && !hasUser(url) && (new URL(url).protocol === "https:" || isLoopback(url))
    )
  ).annotations({
    message: ({ actual }) => ({ message: hasUser(String(actual)) ? instead : says, override: true })
  })

/** The address of an interface. */
export const host = hostOf(
  "A host is an https:// address; http:// only for a sandbox on this machine.",
  "A name or password is never written into an address. Take everything up to the @ out of it; what the marketplace asks for is the account's token: {env: NAME} or {file: PATH}."
)

const address = /^(?:\[[0-9a-f:]+\]|[A-Za-z0-9.-]{1,253}):(\d{1,5})$/

/** A host and a port of this machine. */
const addressOf = (says: string) => {
  const portOf = (written: string): number | undefined => {
    const port = address.exec(written)?.[1]
    return port === undefined ? undefined : Number(port)
  }
  const isPort = (port: number): boolean => port >= 1 && port <= 65_535
  return Schema.String.pipe(Schema.filter((written) => isPort(portOf(written) ?? 0))).annotations({
    message: ({ actual }) => {
      const port = portOf(String(actual))
      const isWrong = port !== undefined && !isPort(port)
      return {
        message: isWrong ? `There is no port ${port}: ports are 1 to 65535. ${says}` : says,
        override: true
      }
    }
  })
}

const isZone = (name: string): boolean => {
  try {
    return name.includes("/") && new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== ""
  } catch {
    return false
  }
}

/** What an account may be called, in any script: vowel signs and accents are marks of their own (`दुकान`, `ร้าน`). */
export const accountName = matching(
  /^(?!\p{M})[\p{L}\p{M}\p{N}_.-]{1,60}$/u,
  "A name of letters of any script, digits, dots and dashes, without spaces."
)

const variableSuchAs = (example: string) =>
  matching(variable, `The name of an environment variable, such as ${example}.`)

/** Where a token is, as a variable. */
export const tokenVariable = variableSuchAs("BIDHELM_TOKEN")

/** In which the account's days begin. */
export const zone = field(Schema.String.pipe(Schema.filter(isZone)), "Name a city: Europe/Moscow.")

/** By which bids move: by nothing they would not. */
const step = matching(
  /^(?=.*[1-9])\d{1,6}(\.\d{1,2})?\s?₽?$/,
  'An amount above 0 in quotes, such as "1 ₽" or "0.50".'
)

/** A token that was masked is no path. */
const secretFile = optional(matching(/^[^×]+$/, "The path of a file that only you can read (mode 0600)."))

/** Where a secret is: in a variable or in a file, never both and never here. */
const secret = (word: string, example: string) =>
  Schema.Struct({ env: optional(variableSuchAs(example)), file: secretFile })
    .annotations({
      message: () => `A ${word} is never written here. Say where it is: {env: NAME} or {file: PATH}.`
    })
    .pipe(
      Schema.filter(({ env, file }) => (env === undefined) !== (file === undefined), {
        message: () => `Say where the ${word} is: either {env: NAME} or {file: PATH}.`
      })
    )

const Token = secret("token", "BIDHELM_TOKEN")
const Password = secret("password", "BIDHELM_STORE_PASSWORD")
const HttpKey = secret("key", "BIDHELM_METRICS_KEY")

const Account = Schema.Struct({
  name: accountName,
  token: Token,
  token_kind: optional(
    field(
      Schema.Literal("personal", "service", "base_with_secret", "base"),
      "One of personal, service, base_with_secret, base."
    )
  ),
  sandbox: optional(field(Schema.Boolean, "Use true or false."))
}).annotations({ message: () => "An account has a name and a token." })

const Accounts = Schema.NonEmptyArray(Account).annotations({
  message: () => "A list of accounts, each beginning with a dash."
})

const section = <A, I>(schema: Schema.Schema<A, I>, says: string) =>
  schema.annotations({ message: () => says })

const runner = {
  listen: optional(
    addressOf("Where the other runners reach this one, on a private network: 10.0.0.5:34431.")
  ),
  http: optional(
    addressOf(
      "Health and figures: 127.0.0.1:9464, or with http_key an address that others reach, such as 0.0.0.0:9464."
    )
  ),
  http_key: optional(HttpKey),
  http_names: optional(
    field(
      Schema.Array(Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9._-]{1,253}$/))),
      "Names that others ask http by, without ports: [runner-a, runner-b]. IP addresses need none."
    )
  ),
  shards: optional(
    field(
      Schema.Int.pipe(Schema.between(1, 3000)),
      "The same whole number on every runner, 1 to 3000; one with another number is turned away while others run."
    )
  ),
  lock_seconds: optional(
    field(
      Schema.Int.pipe(Schema.between(6, Settings.mostLockSeconds)),
      `After how many silent seconds a runner's accounts go to the others: 6 to ${Settings.mostLockSeconds}, the same on every runner.`
    )
  ),
  plans_at_once: optional(
    field(
      Schema.Int.pipe(Schema.between(1, 1000)),
      "How many accounts plan at the same time, 1 to 1000; few when accounts are big and memory is short."
    )
  ),
  log: optional(
    field(Schema.Literal("json", "text"), "How lines of the log look: text for people, json for machines.")
  ),
  log_level: optional(
    field(
      Schema.Literal("debug", "info", "warning", "error"),
      "The least that the log tells: debug, info, warning, error."
    )
  )
}

const Runner = section(Schema.Struct(runner), `Settings of bidhelm run: ${Object.keys(runner).join(", ")}.`)

const Telemetry = section(
  Schema.Struct({
    otlp: hostOf(
      "The base address of an OpenTelemetry collector: https://…, or http:// on this machine, such as http://127.0.0.1:4318.",
      "A name or password is never written into an address. Take everything up to the @ out of it and say where it is: headers: {env: NAME}, with a variable such as authorization=Basic …."
    ),
    headers: optional(
      section(
        Schema.Struct({
          env: variableSuchAs("OTEL_EXPORTER_OTLP_HEADERS")
        }),
        "Headers are never written here. Say where they are: {env: NAME}."
      )
    )
  }),
  "Where telemetry goes: otlp, and where the headers for it are."
)

const kept = field(Schema.Int.pipe(Schema.between(30, 3660)), "A number of days: 30 to 3660.")

/** The whole file. */
export const Fields = Schema.Struct({
  version: field(Schema.Literal(1), "This program reads version 1."),
  accounts: Accounts,
  hosts: section(
    Schema.Struct({
      advert: host,
      calendar: host,
      marketplace: optional(host),
      analytics: optional(host)
    }),
    "Addresses: advert and calendar, and for orders and analytics marketplace and analytics."
  ),
  header: optional(
    section(
      Schema.Struct({
        name: optional(
          matching(/^[A-Za-z0-9-]{1,60}$/, "The name of a request header, such as Authorization.")
        ),
        scheme: optional(
          matching(/^[A-Za-z0-9-]{0,30}$/, 'The word before the token, such as Bearer; "" for none.')
        )
      }),
      "A name and a scheme."
    )
  ),
  word: optional(
    matching(/^[a-z]{2,20}$/, "The operator's word in lower case, two to twenty Latin letters.")
  ),
  time_zone: optional(zone),
  currency: optional(matching(/^[A-Z]{3}$/, "Three capital letters: RUB.")),
  store: optional(StoreField.Store),
  store_password: optional(Password),
  machine_folder: optional(
    field(Schema.NonEmptyString, "The folder for lock, socket and STOP of this machine: /var/lib/bidhelm.")
  ),
  keep: optional(
    section(
      Schema.Struct({
        plans_days: optional(kept),
        journal_days: optional(kept),
        reports_days: optional(kept)
      }),
      "For how many days things are kept: plans_days, journal_days, reports_days."
    )
  ),
  snapshot_days: optional(
    field(
      Schema.Int.pipe(Schema.between(0, 3660)),
      "For how many days the facts of plans are kept for bidhelm backtest: 0 to 3660, 90 unless said."
    )
  ),
  runner: optional(Runner),
  telemetry: optional(Telemetry),
  rules: optional(field(Schema.NonEmptyString, "The folder of the rules: ./rules.")),
  max_wait: optional(matching(/^\d{1,6}\s*(s|m|h|d)$/, "A duration: 90s, 10m, 2h.")),
  bid_step: optional(
    section(Schema.Struct({ cpm: optional(step), cpc: optional(step) }), "The steps of cpm and cpc bids.")
  )
})

export type Fields = typeof Fields.Type
