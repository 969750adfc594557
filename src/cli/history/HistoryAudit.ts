/** `bidhelm history --verify` and `--export`: the audit chain, checked or handed out. */
import { closeSync, openSync, rmSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as Plural from "../../domain/Plural.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as AuditExport from "../../store/audit/AuditExport.js"
import * as AuditVerify from "../../store/audit/AuditVerify.js"
import type { Head } from "../../store/audit/SerialFile.js"
import * as SerialMarker from "../../store/audit/SerialMarker.js"
import * as FileHints from "../../store/clients/FileHints.js"
import * as OutFile from "../terminal/OutFile.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"

/**
 * Verifies the chain of an account, or of all, also against what this machine has noted of it in the file at `serialPath`; ends
 * with 1 when something does not fit.
 */
export const verify = (account: string | undefined, json: boolean, serialPath: string) =>
  Effect.gen(function* () {
    const lost = yield* SerialMarker.lost(serialPath)
    const accounts = account === undefined ? yield* AuditVerify.accounts : [account]
    const found = yield* Effect.forEach(accounts, (name) =>
      AuditVerify.verify(name, (done, total) =>
        Output.watched() ? Output.redraw(`${name}: ${done} of ${total}`) : Effect.void
      ).pipe(Effect.map((one) => ({ ...one, breaks: [...one.breaks, ...cutOff(name, lost)] })))
    )
    if (Output.watched() && found.length > 0) yield* Output.redraw("")
    const breaks = found.flatMap((one) => one.breaks)
    if (json) yield* Output.json("verify", { accounts: found })
    else if (found.length === 0) yield* Output.text("nothing recorded yet")
    else for (const one of found) yield* Output.text(verdict(one))
    const first = breaks[0]
    if (first === undefined) return
    return yield* stop(
      1,
      `the audit chain is broken: ${first.account}, record ${first.seq}: ${cleanLine(first.what)}`
    )
  })

const cutOff = (name: string, lost: ReadonlyArray<Head>): ReadonlyArray<AuditVerify.Break> =>
  lost
    .filter((head) => head.account === name)
    .map((head) => ({
      account: name,
      seq: head.seq,
      what: "it was in this store before and is not there now: an older copy, or cut off"
    }))

const verdict = ({ account, breaks, head, purged, rows }: AuditVerify.Verified): string => {
  const before = purged === 0 ? "" : `, ${purged} purged before`
  const lines = breaks.map(({ seq, what }) => `  record ${seq}: ${cleanLine(what)}`)
  return breaks.length === 0
    ? `${account}: ${Plural.of(rows, "record")}, unbroken${before}; end ${head}`
    : [`${account}: ${Plural.of(rows, "record")}${before}; does not fit:`, ...lines].join("\n")
}

/**
 * Writes runs, changes and audit rows as lines of JSON to a new file, and says how many; or to stdout for `-`, and nothing else. After
 * a failure nothing is left.
 */
export const exportTo = (place: string, account: string | undefined, json: boolean) => {
  const lines = AuditExport.lines(account)
  if (place === "-") return Stream.runForEach(lines, (line) => Output.data(line))
  const written = Effect.acquireUseRelease(
    Effect.try({
      try: () => openSync(place, "wx", 0o600),
      catch: (error) => stop(1, refused(place, error))
    }),
    (file) =>
      lines.pipe(
        Stream.tap((line) =>
          Effect.try({
            try: () => writeFileSync(file, line),
            catch: (error) => stop(1, refused(place, error))
          })
        ),
        Stream.runCount
      ),
    (file, exit) =>
      Effect.sync(() => {
        closeSync(file)
        if (Exit.isFailure(exit)) rmSync(place, { force: true })
      })
  )
  return Effect.flatMap(written, (rows) =>
    json
      ? Output.json("export", { file: place, rows })
      : Output.text(`${cleanLine(place)}: ${Plural.of(rows, "line")}`)
  )
}

const refused = (place: string, error: unknown): string =>
  FileHints.codeOf(error) === "EEXIST"
    ? `--export ${place}: it exists already, and an export replaces nothing; choose another name`
    : `--export ${place} cannot be written: ${OutFile.why(place, error)}`
