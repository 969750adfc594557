/**
 * Tokens of the sandbox: JWT-looking, unsigned, with the claims of the real ones (contract, "Authentication"). The
 * signature is never checked, because a client cannot check it either.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Facts, type TokenCategory, tokenCategories } from "../services/Operation.js"

/** Kinds of token the limits tell apart. */
export type TokenKind = NonNullable<Facts["tokenKinds"]>[number]

export interface TokenOptions {
  readonly kind?: TokenKind
  readonly categories?: ReadonlyArray<TokenCategory>
  readonly seller?: string
  /** Epoch milliseconds; the year 2100 unless stated. */
  readonly expiresAtMs?: number
  readonly readOnly?: boolean
  /** For the test environment: the claims of the Test kind, whatever `kind` says. */
  readonly test?: boolean
}

/** What the marketplace reads from a token. */
export interface Bearer {
  readonly seller: string
  readonly kind: TokenKind
  readonly categories: ReadonlySet<TokenCategory>
  readonly readOnly: boolean
  readonly expiresAtMs: number
  readonly test: boolean
}

/** The seller whose account the sandbox shows by default. */
export const defaultSeller = "5a4d0000-0000-4000-8000-000000000001"

const year2100Ms = 4_102_444_800_000
const bits: Readonly<Record<TokenCategory, number>> = {
  analytics: 2,
  pricesAndDiscounts: 3,
  marketplace: 4,
  promotion: 6
}
const readOnlyBit = 30

/** Kinds by the claim `acc`; Base with a secret looks like Base, so the sandbox marks it with a claim of its own. */
const kinds: Readonly<Record<TokenKind, object>> = {
  base: { acc: 1 },
  base_with_secret: { acc: 1, secret: true },
  personal: { acc: 3, for: "self" },
  service: { acc: 4, for: "asid:5a4d0000-0000-4000-8000-0000000000aa" }
}

/** Mints a token. Without options: Personal, every category, writes allowed, the default seller. */
export const sandboxToken = (options: TokenOptions = {}): string => {
  const categories = options.categories ?? tokenCategories
  const mask = categories.reduce((sum, category) => sum + 2 ** bits[category], 0)
  return [
    { alg: "ES256", typ: "JWT" },
    {
      id: "5a4d0000-0000-4000-8000-0000000000ff",
      sid: options.seller ?? defaultSeller,
      exp: Math.floor((options.expiresAtMs ?? year2100Ms) / 1000),
      s: mask + (options.readOnly === true ? 2 ** readOnlyBit : 0),
      ...(options.test === true ? { acc: 2, t: true } : { ...kinds[options.kind ?? "personal"], t: false })
    },
    "sandbox signature, not checked"
  ]
    .map((part) => Buffer.from(typeof part === "string" ? part : JSON.stringify(part)).toString("base64url"))
    .join(".")
}

const Claims = Schema.parseJson(
  Schema.Struct({
    sid: Schema.NonEmptyString,
    exp: Schema.Number,
    s: Schema.Int,
    acc: Schema.optional(Schema.Number),
    secret: Schema.optional(Schema.Boolean),
    t: Schema.optional(Schema.Boolean)
  })
)
const decode = Schema.decodeOption(Claims)

/** Reads the `Authorization` header, with or without `Bearer`; none when it does not look like a token. */
export const read = (authorization: string | undefined): Option.Option<Bearer> => {
  const header = authorization ?? ""
  if (header !== last.header) last = { header, bearer: parsed(header) }
  return last.bearer
}

const parsed = (header: string): Option.Option<Bearer> => {
  const parts = header
    .replace(/^Bearer\s+/i, "")
    .trim()
    .split(".")
  if (parts.length !== 3 || parts.some((part) => part === "")) return Option.none()
  return decode(Buffer.from(parts[1] as string, "base64url").toString("utf8")).pipe(
    Option.map((claims) => ({
      seller: claims.sid,
      kind: kindOf(claims.acc, claims.secret),
      categories: new Set(categoriesOf(claims.s)),
      readOnly: hasBit(claims.s, readOnlyBit),
      expiresAtMs: claims.exp * 1000,
      test: claims.t === true
    }))
  )
}

/** Of the last request: mostly the next one has the same token. */
let last: { readonly header: string; readonly bearer: Option.Option<Bearer> } = {
  header: "",
  bearer: Option.none()
}

const kindOf = (acc: number | undefined, secret: boolean | undefined): TokenKind =>
  acc === 3 ? "personal" : acc === 4 ? "service" : secret === true ? "base_with_secret" : "base"

const categoriesOf = (mask: number): ReadonlyArray<TokenCategory> =>
  tokenCategories.filter((category) => hasBit(mask, bits[category]))

const hasBit = (mask: number, bit: number): boolean => Math.floor(mask / 2 ** bit) % 2 === 1
