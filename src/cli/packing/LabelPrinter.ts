/** The label of one order, as `labels print` makes it, into a folder or to the command of a printer. */
import { spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SupplyId } from "../../domain/Ids.js"
import * as LabelSheets from "../../printing/LabelSheets.js"
import type * as Line from "../../printing/Line.js"
import * as Print from "../labels/Print.js"
import type * as Stickers from "../labels/Stickers.js"
import * as OutFile from "../terminal/OutFile.js"
import { stop } from "../terminal/Stop.js"

export interface Asked {
  readonly print: Option.Option<string>
  readonly labels: Option.Option<string>
  readonly size: Option.Option<LabelSheets.Size>
  readonly format: Exclude<Stickers.Format, "svg">
  readonly noOwnPage: boolean
}

export interface Labelled {
  readonly line: Line.Line
  readonly sticker: Stickers.Sticker
  /** Whole marking codes for our page. */
  readonly marks: ReadonlyArray<string>
}

export interface Printer {
  /** Answers where the label is; fails with why it is not. */
  readonly print: (label: Labelled) => Effect.Effect<string, Error>
}

/** Undefined when nobody asked for labels: they were printed before. A folder that cannot be written ends the command. */
export const make = (asked: Asked, supplyId: SupplyId, look: Print.Look, total: number) =>
  Effect.gen(function* () {
    const [command, folder] = [Option.getOrUndefined(asked.print), Option.getOrUndefined(asked.labels)]
    if (command !== undefined && command.trim() === "")
      return yield* stop(1, '--print needs a command, such as --print "lp -d zebra"')
    if (command === undefined && folder === undefined) return undefined
    if (folder !== undefined) {
      yield* OutFile.reachable(folder, "--labels")
      yield* Effect.try({
        try: () => mkdirSync(folder, { recursive: true }),
        catch: (error) => stop(1, `--labels ${folder} was not made: ${OutFile.why(folder, error)}`)
      })
    }
    const fonts = Print.letters()
    return {
      print: (label) =>
        Effect.gen(function* () {
          const bytes = yield* bytesOf(asked, supplyId, { ...look, total, fonts }, label)
          const { orderId, position } = label.line
          const ending = asked.format === "zplh" ? "zpl" : asked.format
          const path = `${String(position).padStart(4, "0")}-${orderId}.${ending}`
          if (folder !== undefined) yield* OutFile.write(join(folder, path), bytes, "--labels")
          if (command !== undefined) yield* piped(command, bytes)
          return command ?? join(folder ?? "", path)
        })
    } satisfies Printer
  })

const bytesOf = (
  { format }: Asked,
  supplyId: SupplyId,
  wanted: LabelSheets.Wanted,
  { line, marks, sticker }: Labelled
): Effect.Effect<Uint8Array> =>
  format !== "pdf" || sticker.printable === undefined
    ? Effect.succeed(sticker.file)
    : Effect.promise(() =>
        LabelSheets.make(
          [{ line, digits: sticker.digits, sticker: sticker.printable!, marks }],
          wanted,
          supplyId
        )
      )

/** A printer's command that takes longer is not waited for, milliseconds of the machine. */
const patienceMs = 30_000

const piped = (command: string, bytes: Uint8Array) =>
  Effect.async<void, Error>((resume) => {
    const child = spawn(command, { shell: true, stdio: ["pipe", "ignore", "pipe"] })
    let said = ""
    const failed = (why: string) => resume(Effect.fail(stop(1, `"${command}" ${why}`)))
    const timer = setTimeout(() => {
      failed(`did not end in ${patienceMs / 1000} seconds`)
      child.kill()
    }, patienceMs)
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      said = (said + part).slice(-300)
    })
    child.on("error", (error) => failed(`was not started: ${error.message}`))
    child.on("close", (code) => {
      clearTimeout(timer)
      if (code === 0) resume(Effect.void)
      else failed(`ended with ${code ?? "a signal"}${said.trim() === "" ? "" : `: ${said.trim()}`}`)
    })
    // A command that takes nothing says so by its code.
    child.stdin.on("error", () => undefined)
    child.stdin.end(bytes)
    return Effect.sync(() => {
      clearTimeout(timer)
      child.kill()
    })
  })
