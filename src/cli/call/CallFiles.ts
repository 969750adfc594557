/** Files in answers: a download as it came, and pictures or documents that JSON carries in base64. */
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Entry } from "../../services/Catalogue.js"
import * as OutFile from "../terminal/OutFile.js"
import { stop } from "../terminal/Stop.js"
import type { Request } from "./CallRequest.js"

/** Where a download goes unless `--out` says otherwise; the ending follows from what comes. */
export const defaultName = (entry: Entry, request: Request): string => {
  const named = Object.values(Predicate.isRecord(request.path) ? request.path : {}).map(String)
  return [entry.id, ...named].join("-")
}

/** A report comes packed, and sometimes plain (field note A25). */
export const ending = (bytes: Uint8Array): string =>
  bytes[0] === 0x50 && bytes[1] === 0x4b ? ".zip" : ".csv"

/** Refuses a place that is taken, before anything is asked: nothing is overwritten, and no limit is spent in vain. */
export const refuseTaken = (entry: Entry, place: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    if (!(yield* files.exists(place))) return
    const isFolder = (yield* files.stat(place)).type === "Directory"
    if (entry.file === undefined && isFolder && (yield* files.readDirectory(place)).length === 0) return
    return yield* stop(1, `${place} is taken; nothing was asked. Choose another place with --out`)
  })

/** Writes a download. */
export const write = (place: string, bytes: Uint8Array) =>
  Effect.gen(function* () {
    yield* makeFolder(dirname(place))
    yield* OutFile.write(place, bytes, "--out")
    return { file: place, bytes: bytes.byteLength }
  })

/** Writes every base64 `file` of an answer into a folder; the answer then names the files instead. */
export const unpack = (folder: string, request: Request, answer: unknown) =>
  Effect.gen(function* () {
    const extension = extensionOf(request)
    const taken = new Map<string, Uint8Array>()
    const named = (record: Readonly<Record<string, unknown>>): string => {
      const given = String(record.orderId ?? record.barcode ?? "file").replace(/[^\w-]/g, "_")
      const nth = (count: number): string => `${given}${count === 1 ? "" : `-${count}`}.${extension}`
      let count = 1
      while (taken.has(nth(count))) count++
      return nth(count)
    }
    const walk = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(walk)
      if (!Predicate.isRecord(value)) return value
      const { file } = value
      if (typeof file !== "string" || file === "") return mapped(value, walk)
      const name = named(value)
      taken.set(name, Buffer.from(file, "base64"))
      return { ...mapped(value, walk), file: join(folder, name) }
    }
    const rest = walk(answer)
    if (taken.size > 0) yield* makeFolder(folder)
    for (const [name, bytes] of taken) yield* OutFile.write(join(folder, name), bytes, "--out")
    return { answer: rest, files: [...taken.keys()].map((name) => join(folder, name)) }
  })

const makeFolder = (folder: string) =>
  Effect.try({
    try: () => mkdirSync(folder, { recursive: true }),
    catch: (error) => stop(1, `the folder ${folder} was not made: ${OutFile.why(folder, error)}`)
  })

const mapped = (
  record: Readonly<Record<string, unknown>>,
  change: (value: unknown) => unknown
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))

const extensions: Readonly<Record<string, string>> = { svg: "svg", png: "png", zplv: "zpl", zplh: "zpl" }

/** Stickers come in the asked format; those for parcels abroad are always PDF. */
const extensionOf = ({ urlParams }: Request): string => {
  const type = Predicate.isRecord(urlParams) ? urlParams.type : undefined
  return (typeof type === "string" ? extensions[type] : undefined) ?? "pdf"
}
