/** The keys `store` and `store_password` of `bidhelm.yaml`: a file of SQLite, or a database of PostgreSQL. */

import { readlinkSync, realpathSync } from "node:fs"
import { dirname, resolve } from "node:path"
import * as Schema from "effect/Schema"
import type * as Token from "../../services/Token.js"

/** Where journal and limiter are. A password is never part of the address. */
export type StorePlace =
  | { readonly _tag: "Sqlite"; readonly path: string }
  | { readonly _tag: "Postgres"; readonly url: string; readonly password: Token.Place | undefined }

const shapes = "Write sqlite:.bidhelm/bidhelm.sqlite, or postgres://user@host:5432/database."
const secret =
  "A password is never written here. Take it out of the address and say where it is: store_password: {env: NAME} or {file: PATH}."

/** Everything after the question mark that the driver may be told. */
const parameters = ["sslmode", "sslrootcert", "sslcert", "sslkey"]
const modes = ["disable", "verify-full", "no-verify"]

export const isPostgres = (written: string): boolean => /^postgres(ql)?:/.test(written)

/** What is wrong with a store, in one sentence; undefined for a good one. */
const problem = (written: string): string | undefined => {
  if (/^sqlite:.+$/.test(written)) return undefined
  if (!isPostgres(written)) return shapes
  if (!/^postgres(ql)?:\/\/[^\s]+$/.test(written) || !URL.canParse(written)) return shapes
  const url = new URL(written)
  if (url.password !== "" || url.searchParams.has("password")) return secret
  if (url.username === "") return `The address names no user. ${shapes}`
  if (url.hostname === "") return `The address names no host. ${shapes}`
  if (!/^\/[^/]+$/.test(url.pathname)) return `The address names no database. ${shapes}`
  const strange = [...url.searchParams.keys()].find((key) => !parameters.includes(key))
  if (strange !== undefined) return `"${strange}" cannot be said here; what can: ${parameters.join(", ")}.`
  const mode = url.searchParams.get("sslmode")
  return mode !== null && !modes.includes(mode) ? `sslmode is one of ${modes.join(", ")}.` : undefined
}

export const Store = Schema.String.pipe(
  Schema.filter((written) => problem(written) ?? true, {
    message: ({ actual }) => problem(String(actual)) ?? shapes
  })
).annotations({ message: ({ actual }) => ({ message: problem(String(actual)) ?? shapes, override: true }) })

/** A password in an address, with everything up to the last `@`: it may hold an `@` itself. */
const inline = /(postgres(?:ql)?:\/\/[^\s:@/"']*:)([^\s"']*)(?=@)|([?&]password=)([^&\s"']*)/g

/** The text with every password of an address blotted out, as long as before. */
export const withoutPasswords = (content: string): string =>
  content.replace(
    inline,
    (_, before: string | undefined, password: string | undefined, query: string, value: string) =>
      before === undefined ? query + "*".repeat(value.length) : before + "*".repeat(password?.length ?? 0)
  )

const usual = "sqlite:.bidhelm/bidhelm.sqlite"

type Placing = (path: string) => string

/** The path of a SQLite store as it is written, a link not followed; undefined of PostgreSQL. */
export const written = (store: string = usual, place: Placing): string | undefined =>
  isPostgres(store) ? undefined : place(store.slice("sqlite:".length))

/** What the two keys mean; `place` makes a path of the configuration's folder. */
export const placeOf = (
  store: string = usual,
  password: { readonly env?: string; readonly file?: string } | undefined,
  place: Placing
): StorePlace => {
  const file = written(store, place)
  if (file !== undefined) return { _tag: "Sqlite", path: followed(file) }
  return {
    _tag: "Postgres",
    url: store,
    password:
      password?.env !== undefined
        ? { _tag: "Environment", name: password.env }
        : password?.file !== undefined
          ? { _tag: "File", path: place(password.file) }
          : undefined
  }
}

/** The file that a link leads to: what lies beside the store, as its lock does, lies beside that one. */
const followed = (path: string): string => {
  try {
    // Its folder may be a link, too, and the system goes up from where that leads.
    return followed(resolve(realpathSync(dirname(path)), readlinkSync(path)))
  } catch {
    return path
  }
}

/** A person's name for the store. */
export const describe = (store: StorePlace): string => (store._tag === "Sqlite" ? store.path : store.url)
