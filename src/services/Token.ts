/**
 * The account's token: where it is kept, and what its payload says about kind, permissions and expiry (not-shown §1).
 * The payload is read without a call; its signature cannot be checked here. What cannot be read is taken at its
 * tightest: an unknown kind counts as Base.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Days from "../domain/Days.js"
import * as Json from "../domain/Json.js"
import { type TokenCategory, type TokenKind, tokenCategories } from "./Operation.js"

export interface Token {
  /** What goes into the header; printing it shows `<redacted>`. */
  readonly value: Redacted.Redacted
  readonly kind: TokenKind
  /** Undefined when the payload does not tell: then the marketplace decides. */
  readonly categories: ReadonlySet<TokenCategory> | undefined
  readonly readOnly: boolean
  /** Epoch milliseconds; undefined when the payload does not tell. */
  readonly expiresAt: number | undefined
  /** Works against the test hosts only. */
  readonly test: boolean
  /** Whose it is, test environment included; absent when the payload does not tell. Never guessed. */
  readonly seller?: string
}

/** Name of an environment variable, or a file that only its owner can read. */
export type Place =
  | { readonly _tag: "Environment"; readonly name: string }
  | { readonly _tag: "File"; readonly path: string }

/** What the configuration knows better than the payload, such as Base with secret. */
export interface Overrides {
  readonly kind?: TokenKind
}

/** The token cannot be used; `message` says where it was sought and how to mend it. Never holds the token. */
export class TokenProblem extends Data.TaggedError("TokenProblem")<{
  readonly reason: "missing" | "unreadable" | "exposed" | "malformed" | "expired"
  readonly message: string
}> {}

/** Fetches and reads the token of an account. `environment` is a plain look-up, such as `process.env`. */
export const load = Effect.fn("Token.load")(function* (
  place: Place,
  environment: Readonly<Record<string, string | undefined>>,
  overrides: Overrides = {}
) {
  const text =
    place._tag === "File" ? yield* fromFile(place.path) : yield* fromEnvironment(place.name, environment)
  const token = yield* parse(text, sourceOf(place), overrides)
  const nowMs = yield* Clock.currentTimeMillis
  if (token.expiresAt !== undefined && token.expiresAt <= nowMs) {
    const day = Days.at(token.expiresAt, "UTC")
    return yield* new TokenProblem({
      reason: "expired",
      message: `The token ${sourceOf(place)} expired on ${day}: make a new one in the seller's cabinet and put it there.`
    })
  }
  return token
})

/** Reads a token's text. `source` names where it came from, for messages. */
export const parse = (
  text: string,
  source: string,
  overrides: Overrides = {}
): Either.Either<Token, TokenProblem> => {
  const value = text.trim().replace(/^Bearer\s+/i, "")
  if (value === "") return problem("missing", `There is no token ${source}: put the token there.`)
  if (!/^[\x21-\x7e]+$/.test(value)) {
    return problem(
      "malformed",
      `The token ${source} holds spaces or letters that no token has: copy it again as one line.`
    )
  }
  const claims = Option.getOrElse(readClaims(value), (): Claims => ({}))
  const test = claims.t === true || claims.acc === 2
  const seller = sellerOf(claims)
  return Either.right({
    value: Redacted.make(value),
    kind: overrides.kind ?? kindOf(claims),
    categories: claims.s === undefined ? undefined : categoriesOf(claims.s),
    readOnly: claims.s !== undefined && bit(claims.s, 30),
    expiresAt: claims.exp === undefined ? undefined : claims.exp * 1000,
    test,
    ...(seller === undefined ? {} : { seller: test ? `${seller} in the test environment` : seller })
  })
}

/** Every field is optional and tolerant: a payload that surprises must not stop the work. */
const Claims = Schema.Struct({
  acc: Schema.optional(Schema.Unknown),
  for: Schema.optional(Schema.Unknown),
  sid: Schema.optional(Schema.Unknown),
  s: Schema.optional(Schema.NonNegativeInt),
  exp: Schema.optional(Schema.Finite),
  t: Schema.optional(Schema.Unknown)
})
type Claims = typeof Claims.Type

const readClaims = (value: string): Option.Option<Claims> => {
  const payload = value.split(".")[1]
  if (payload === undefined) return Option.none()
  return Encoding.decodeBase64UrlString(payload.replace(/=+$/, "")).pipe(
    Either.flatMap(Json.read),
    Either.flatMap(Schema.decodeUnknownEither(Claims)),
    Option.getRight
  )
}

/** 1 Base, 2 Test, 3 Personal, 4 Service; `for` must agree, else the kind counts as unknown. */
const kindOf = (claims: Claims): TokenKind => {
  if (claims.acc === 3 && claims.for === "self") return "personal"
  if (claims.acc === 4 && typeof claims.for === "string" && claims.for.startsWith("asid:")) return "service"
  return "base"
}

/** The claim `sid` (not-shown §1), if it could be an identifier. */
const sellerOf = ({ sid }: Claims): string | undefined =>
  typeof sid === "string" && /^[\w.:-]{1,100}$/.test(sid) ? sid : undefined

/** Bits of the claim `s` (not-shown §1); bit 30 is the mark of a read-only token. */
const categoryBits: Readonly<Record<TokenCategory, number>> = {
  analytics: 2,
  pricesAndDiscounts: 3,
  marketplace: 4,
  promotion: 6
}

const categoriesOf = (mask: number): ReadonlySet<TokenCategory> =>
  new Set(tokenCategories.filter((category) => bit(mask, categoryBits[category])))

const bit = (mask: number, n: number): boolean => Math.floor(mask / 2 ** n) % 2 === 1

const fromEnvironment = (name: string, environment: Readonly<Record<string, string | undefined>>) => {
  const text = environment[name]
  return text === undefined
    ? problem("missing", `The environment variable ${name} is not set: put the token into it.`)
    : Either.right(text)
}

const fromFile = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const unreadable = (error: { readonly message: string }) =>
    new TokenProblem({
      reason: "unreadable",
      message: `The token file ${path} cannot be read (${error.message}): check the path in bidhelm.yaml.`
    })
  const info = yield* Effect.mapError(files.stat(path), unreadable)
  if ((info.mode & 0o077) !== 0) {
    return yield* new TokenProblem({
      reason: "exposed",
      message: `The token file ${path} can be read by others: run chmod 600 ${path}`
    })
  }
  // A pipe or a device would be waited for without end.
  if (info.type !== "File" && info.type !== "Directory") {
    return yield* unreadable({ message: "it is no regular file" })
  }
  return yield* Effect.mapError(files.readFileString(path), unreadable)
})

/** Where it is, for messages: `in the environment variable BIDHELM_TOKEN`. */
export const sourceOf = (place: Place): string =>
  place._tag === "File" ? `in ${place.path}` : `in the environment variable ${place.name}`

const problem = (reason: TokenProblem["reason"], message: string): Either.Either<never, TokenProblem> =>
  Either.left(new TokenProblem({ reason, message }))
