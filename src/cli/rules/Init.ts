/** `bidhelm init`: writes the configuration, starter rules and their schemas for editors; never overwrites anything. */
import { dirname, join } from "node:path"
import * as Prompt from "@effect/cli/Prompt"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as JsonSchema from "../../engine/language/shape/JsonSchema.js"
import * as TestSchema from "../../engine/testing/TestSchema.js"
import * as FileHints from "../../store/clients/FileHints.js"
import * as ConfigFields from "../config/ConfigFields.js"
import { usualConfig } from "../config/UsualConfig.js"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { shippedRules } from "../terminal/PackageFiles.js"
import { stop } from "../terminal/Stop.js"

/** What the questions ask for. */
export interface Answers {
  readonly account: string
  readonly tokenVariable: string
  readonly advertHost: string
  readonly calendarHost: string
  /** Empty where the account does not use it. */
  readonly marketplaceHost: string
  readonly analyticsHost: string
  readonly sandbox: boolean
  readonly timeZone: string
}

/** The local sandbox: works at once and spends nothing. */
export const defaults: Answers = {
  account: "main",
  tokenVariable: "BIDHELM_TOKEN",
  advertHost: "http://127.0.0.1:8090",
  calendarHost: "http://127.0.0.1:8090",
  marketplaceHost: "http://127.0.0.1:8090",
  analyticsHost: "http://127.0.0.1:8090",
  sandbox: true,
  timeZone: "Europe/Moscow"
}

/** The text of a configuration. */
export const configuration = (
  answers: Answers
): string => `# What Bidhelm may reach. "bidhelm doctor" checks it.
version: 1
accounts:
  - name: ${JSON.stringify(answers.account)}
    # Where the token is, never the token itself: {env: NAME}, or {file: PATH} with mode 0600.
    token: {env: ${JSON.stringify(answers.tokenVariable)}}
${answers.sandbox ? "    # The local marketplace of `bidhelm sandbox`. For a real account begin anew in an empty folder: the rules here change things at once.\n    sandbox: true\n" : ""}hosts:
  advert: ${JSON.stringify(answers.advertHost)}
  calendar: ${JSON.stringify(answers.calendarHost)}
${optionalHost("marketplace", answers.marketplaceHost, "orders, labels, supplies, passes")}
${optionalHost("analytics", answers.analyticsHost, "funnel, search, stock, reports")}
# header: {name: Authorization, scheme: Bearer}
# word: platform          # the operator's word where its documentation says "platform"
time_zone: ${JSON.stringify(answers.timeZone)}
currency: RUB
store: sqlite:.bidhelm/bidhelm.sqlite
rules: ./rules
# max_wait: 10m           # longest wait for a call limit
# Of bidhelm run, which works by the schedule of the rules: /healthz and /readyz, for this machine only.
# runner: {http: 127.0.0.1:9464}
# keep: {plans_days: 90, journal_days: 400, reports_days: 30}
`

const optionalHost = (name: string, url: string, serves: string): string =>
  url === "" ? `  # ${name}: "https://…"   # ${serves}` : `  ${name}: ${JSON.stringify(url)}   # ${serves}`

/** On a real account the starter rules only show what they would do, until somebody has read them. */
const started = (rule: string, { sandbox }: Answers): string =>
  sandbox ? rule : rule.replace(/^mode: apply {2}/m, "mode: preview")

/** Why the file would be refused with this answer; undefined when it would not. */
export const refusal = (asked: Exclude<keyof Answers, "sandbox">, answer: string): string | undefined => {
  if (answer === "" && mayBeEmpty.has(asked)) return undefined
  const read = Schema.decodeUnknownEither(fields[asked])(answer)
  return Either.isRight(read) ? undefined : ParseResult.TreeFormatter.formatErrorSync(read.left)
}

const mayBeEmpty: ReadonlySet<keyof Answers> = new Set(["marketplaceHost", "analyticsHost"])

const fields: Readonly<Record<Exclude<keyof Answers, "sandbox">, Schema.Schema<string>>> = {
  account: ConfigFields.accountName,
  tokenVariable: ConfigFields.tokenVariable,
  advertHost: ConfigFields.host,
  calendarHost: ConfigFields.host,
  marketplaceHost: ConfigFields.host,
  analyticsHost: ConfigFields.host,
  timeZone: ConfigFields.zone
}

/** Asked again until the file would take it. */
const text = (asked: keyof typeof fields, message: string, usual?: string) =>
  Prompt.text({
    message,
    ...(usual === undefined ? {} : { default: usual }),
    validate: (answer) => {
      const why = refusal(asked, answer)
      return why === undefined ? Effect.succeed(answer) : Effect.fail(why)
    }
  })

const ask = Effect.gen(function* () {
  const account = yield* text("account", "Name of the account", defaults.account)
  const sandbox = yield* Prompt.confirm({ message: "Try it on the local sandbox first?", initial: true })
  if (sandbox) return { ...defaults, account }
  return {
    account,
    tokenVariable: yield* text(
      "tokenVariable",
      "Environment variable that holds the token",
      defaults.tokenVariable
    ),
    advertHost: yield* text("advertHost", "Address of the advertising interface (https://…)"),
    calendarHost: yield* text("calendarHost", "Address of the promotion calendar (https://…)"),
    marketplaceHost: yield* text(
      "marketplaceHost",
      "Address of the order interface (https://…; empty if unused)"
    ),
    analyticsHost: yield* text(
      "analyticsHost",
      "Address of the analytics interface (https://…; empty if unused)"
    ),
    sandbox: false,
    timeZone: yield* text(
      "timeZone",
      "Time zone (of times shown, and of the day that your own limits count)",
      defaults.timeZone
    )
  }
})

/** Writes a file unless it is there; answers whether it did. */
const writeNew = (path: string, content: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* files.makeDirectory(dirname(path), { recursive: true })
    return yield* files.writeFileString(path, content, { flag: "wx" }).pipe(
      Effect.as(true),
      Effect.catchIf(
        (error) => error._tag === "SystemError" && error.reason === "AlreadyExists",
        () => Effect.succeed(false)
      ),
      // What was written of it would be kept by the next init.
      Effect.tapError(() => Effect.ignore(files.remove(path)))
    )
  }).pipe(
    Effect.mapError((error) => {
      const code = error._tag === "SystemError" ? FileHints.codeOf(error.cause) : undefined
      return stop(1, `${path} cannot be written: ${FileHints.of(path, code) ?? error.message}`)
    })
  )

/** What to type now; every line that is a command can be copied as it stands. */
export const next = (config: string, { advertHost, sandbox, tokenVariable }: Answers): string =>
  (sandbox
    ? [
        "Next, in another terminal, the local marketplace:",
        `  bidhelm sandbox --port ${new URL(advertHost).port}`,
        "then here:",
        `  export ${tokenVariable}="$(bidhelm sandbox --print-token)"`,
        `  bidhelm plan${named(config)}`
      ]
    : [
        "Next, with the token in place of the dots:",
        `  export ${tokenVariable}=…`,
        `  bidhelm doctor${named(config)}`,
        `  bidhelm plan${named(config)}`
      ]
  )
    .concat(`Later "bidhelm run${named(config)}" works by the schedule of the rules.`)
    .join("\n")

/** The option that names a configuration elsewhere. */
const named = (config: string): string =>
  config === usualConfig
    ? ""
    : ` --config ${/^[\w./-]+$/.test(config) ? config : `'${config.replaceAll("'", "'\\''")}'`}`

export const command = Command.make(
  "init",
  { config: Flags.config, yes: Flags.yes, json: Flags.json },
  function* ({ config, json, yes }) {
    if (!yes && !Output.answerable()) {
      return yield* stop(1, "nobody is here to answer questions; --yes takes the defaults")
    }
    const answers = yes ? defaults : yield* ask
    const folder = join(dirname(config), "rules")
    const wanted = [
      { path: config, content: configuration(answers) },
      ...shippedRules().map((file) => ({
        path: join(folder, file.path),
        content: started(file.content, answers)
      })),
      ...(["policy", "limits", "vars", "templates", "facts", "fulfilment"] as const).map((kind) => ({
        path: join(dirname(config), ".schema", `${kind}.v1.json`),
        content: JsonSchema.print(kind)
      })),
      { path: join(dirname(config), ".schema", "tests.v1.json"), content: TestSchema.print() }
    ]
    const done = yield* Effect.forEach(wanted, ({ path, content }) =>
      Effect.map(writeNew(path, content), (written) => ({ path, written }))
    )
    if (json) return yield* Output.json("init", { files: done })
    for (const { path, written } of done) {
      yield* Output.text(`${written ? "written" : "kept   "}  ${path}`)
    }
    yield* Output.note(next(config, answers))
  }
)
