/** A saved plan on disk. Whether it may be applied is for `Review.reload` to say. */
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Json from "../../domain/Json.js"
import { type Plan, version } from "../../engine/decide/Plan.js"
import * as PlanJson from "../../engine/decide/PlanJson.js"
import { Document } from "../../engine/decide/PlanJson.js"
import * as Summary from "../../engine/decide/Summary.js"
import { command } from "../../engine/kinds/OperatorHold.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as PlanDocument from "../../reporting/PlanDocument.js"
import * as FileHints from "../../store/clients/FileHints.js"
import * as OutFile from "../terminal/OutFile.js"
import * as RegularFile from "../terminal/RegularFile.js"
import { stop } from "../terminal/Stop.js"

const encode = Schema.encode(Document)

/**
 * The text of a saved plan; also what `plan --format json` prints. `left` is what a command that shows its plan leaves alone, and no
 * part of the plan.
 */
export const text = (plan: Plan, left?: ReadonlyArray<unknown>): Effect.Effect<string> =>
  Effect.map(Effect.orDie(encode(PlanDocument.of(plan))), (document) =>
    JSON.stringify(left === undefined ? document : { ...document, left }, undefined, 2)
  )

export const write = (path: string, plan: Plan) =>
  Effect.flatMap(text(plan), (content) => OutFile.write(path, `${content}\n`, "--out", ownerOnly))

/** How its text begins, whole or cut off. */
export const own: OutFile.Own = { name: "plan", begins: /^\{\s*"version": \d+,\s*"id"/ }

/** A plan says what the account spends, and whoever may write it may choose what of it is applied. */
const ownerOnly = 0o600

/**
 * The JSON of a file that holds a plan, of whatever account, age and rules: before anything is asked for it. How to make one is said for
 * the account that was named, if any.
 */
export const read = (path: string, account?: string) => Effect.map(parsed(path, account), ({ json }) => json)

/**
 * A plan of a file to be read by a person, who may have it from anybody: nothing in it steers a terminal. `edited` when
 * its content does not match its id.
 */
export const printable = (path: string) =>
  Effect.map(parsed(path), ({ plan }) => ({
    plan: cleaned(plan),
    edited: Summary.idOf(plan) !== plan.id || Summary.sealOf(plan.id, plan.createdAt) !== plan.seal
  }))

const parsed = (path: string, account?: string) =>
  Effect.gen(function* () {
    const content = yield* Effect.try({
      try: () => RegularFile.readText(path),
      catch: (error) => stop(1, unreadable(path, error, account))
    })
    const json = yield* Effect.mapError(Json.read(content), (why) =>
      stop(1, `${path} is no plan: it is ${why}. ${instead(path, content, account)}`)
    )
    const found = PlanJson.read(json)
    if (Either.isLeft(found))
      return yield* stop(1, `${path} is no plan of version ${version}. ${instead(path, content, account)}`)
    return { json, plan: found.right }
  })

/** The same data with every text on its line, those that are keys of records too. */
const cleaned = <A>(value: A): A => clean(value) as A

const clean = (value: unknown): unknown =>
  typeof value === "string"
    ? cleanLine(value)
    : Array.isArray(value)
      ? value.map(clean)
      : Predicate.isRecord(value)
        ? Object.fromEntries(Object.entries(value).map(([key, one]) => [cleanLine(key), clean(one)]))
        : value

const unreadable = (path: string, error: unknown, account: string | undefined): string => {
  const code = FileHints.codeOf(error)
  if (code === "ENOENT" || code === "ENOTDIR") return `there is no file ${path}. ${make(path, account)}`
  if (code === "EISDIR") return `${path} is a folder, and no plan; name a file of bidhelm plan --out`
  return RegularFile.why(path, error)
}

/** What is no plan is kept. */
const instead = (path: string, content: string, account: string | undefined): string =>
  make(
    content === "" || own.begins.test(content)
      ? path
      : basename(path) === "plan.json"
        ? "new-plan.json"
        : "plan.json",
    account
  )

/** An option that was meant is no name for a file. */
const make = (path: string, account: string | undefined): string =>
  `Make one with: ${command(
    `bidhelm plan --out ${/^[\w.][\w./-]*$/.test(path) ? path : "plan.json"}`,
    account === undefined ? undefined : { account }
  )}`
