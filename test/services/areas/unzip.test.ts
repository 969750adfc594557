import { it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { strToU8, type Zippable, zipSync } from "fflate"
import { assert, describe } from "vitest"
import * as ReportFile from "../../../src/services/areas/reports/ReportFile.js"

const sheet = "nmID,dt\n1001,2026-09-01\n"
const zip = (files: Zippable) => zipSync(files, { mtime: new Date(2026, 8, 1) })
const good = zip({ "5b2f.csv": strToU8(sheet) })

/** Unpacks to text, or tells where and why not. */
const unpack = (file: Uint8Array, bounds?: ReportFile.Bounds) =>
  ReportFile.csvOf(file, bounds).pipe(
    Stream.decodeText(),
    Stream.runCollect,
    Effect.map(Chunk.join("")),
    Effect.either
  )

/** Writes bytes over every place where a four-byte signature begins. */
const patched = (
  file: Uint8Array,
  signature: number,
  change: (view: DataView, at: number) => void
): Uint8Array => {
  const copy = Uint8Array.from(file)
  const view = new DataView(copy.buffer)
  for (let at = 0; at + 4 <= copy.length; at++) if (view.getUint32(at, true) === signature) change(view, at)
  return copy
}
const local = 0x04034b50
const central = 0x02014b50

const refusals: ReadonlyArray<readonly [name: string, file: () => Uint8Array, says: RegExp]> = [
  ["a name that climbs out", () => zip({ "../up.csv": strToU8(sheet) }), /leaves the archive/],
  ["a name that climbs out midway", () => zip({ "a/../../up.csv": strToU8(sheet) }), /leaves the archive/],
  ["an absolute name", () => zip({ "/etc/up.csv": strToU8(sheet) }), /leaves the archive/],
  ["a drive in the name", () => zip({ "C:/up.csv": strToU8(sheet) }), /leaves the archive/],
  ["backslashes in the name", () => zip({ "..\\up.csv": strToU8(sheet) }), /leaves the archive/],
  [
    "a bad name beside a good one",
    () => zip({ "a.csv": strToU8(sheet), "../b.txt": strToU8("x") }),
    /leaves the archive/
  ],
  [
    "too many entries",
    () => zip(Object.fromEntries(["a.csv", "b", "c", "d", "e", "f"].map((name) => [name, strToU8("x")]))),
    /6 entries; a report has at most 5/
  ],
  ["two CSV files", () => zip({ "a.csv": strToU8(sheet), "b.csv": strToU8(sheet) }), /2 CSV files/],
  ["no CSV file", () => zip({ "a.txt": strToU8(sheet) }), /0 CSV files/],
  ["an archive inside the archive", () => zip({ "a.zip": good }), /0 CSV files/],
  ["no entry at all", () => zip({}), /0 CSV files/],
  [
    "a symbolic link",
    () => zip({ "a.csv": [strToU8("/etc/passwd"), { os: 3, attrs: (0o120777 << 16) >>> 0 }] }),
    /symbolic link/
  ],
  [
    "a device",
    () => zip({ "a.csv": [strToU8(sheet), { os: 3, attrs: (0o020666 << 16) >>> 0 }] }),
    /not an ordinary file/
  ],
  [
    "encryption",
    () =>
      patched(
        patched(good, local, (view, at) => view.setUint16(at + 6, 1, true)),
        central,
        (view, at) => view.setUint16(at + 8, 1, true)
      ),
    /encrypted/
  ],
  ["a bomb", () => zip({ "a.csv": new Uint8Array(5_000_000) }), /unpacks to at least 5000000 bytes/],
  [
    "a bomb that lies about its size",
    () =>
      patched(zip({ "a.csv": new Uint8Array(5_000_000) }), central, (view, at) =>
        view.setUint32(at + 24, 100, true)
      ),
    /cut short or damaged|unpacks to/
  ],
  [
    "a wrong checksum",
    () => patched(good, central, (view, at) => view.setUint32(at + 16, 123, true)),
    /checksum is wrong/
  ],
  [
    "an unknown way of packing",
    () => patched(good, central, (view, at) => view.setUint16(at + 10, 99, true)),
    /cut short or damaged/
  ],
  ["a missing end", () => good.subarray(0, good.length - 10), /cut short or damaged/],
  ["a missing half", () => good.subarray(0, good.length / 2), /cut short or damaged/],
  ["another compressed format", () => Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0), /neither a ZIP nor text/],
  ["a web page", () => strToU8("<html><body>Sign in</body></html>"), /web page or a message/],
  ["a message", () => strToU8('{"title":"forbidden"}'), /web page or a message/],
  ["nothing", () => new Uint8Array(0), /empty/]
]

describe("the CSV of a downloaded report", () => {
  it.effect("comes out of a ZIP, and out of a folder in it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* unpack(good), Either.right(sheet))
      const nested = zip({ "report/readme.txt": strToU8("hello"), "report/A.CSV": strToU8(sheet) })
      assert.deepStrictEqual(yield* unpack(nested), Either.right(sheet))
      const kept = zip({ "a.csv": [strToU8(sheet), { level: 0 }] })
      assert.deepStrictEqual(yield* unpack(kept), Either.right(sheet))
    })
  )

  it.effect("may come without a ZIP (A25)", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* unpack(strToU8(sheet)), Either.right(sheet))
    })
  )

  for (const [name, file, says] of refusals) {
    it.effect(`is not taken from a file with ${name}`, () =>
      Effect.gen(function* () {
        const answer = yield* unpack(file())
        assert.isTrue(Either.isLeft(answer), "it was read")
        if (Either.isRight(answer)) return
        assert.strictEqual(answer.left._tag, "ReportUnreadable")
        assert.match(answer.left.message, says)
        assert.match(answer.left.mend, /\S/)
      })
    )
  }

  it.effect("is bounded by the size a caller sets, packed or plain", () =>
    Effect.gen(function* () {
      const bounds = { ...ReportFile.unzipBounds, mostBytes: 10 }
      for (const file of [good, strToU8(sheet)]) {
        const answer = yield* Effect.flip(Effect.flatMap(unpack(file, bounds), (either) => either))
        assert.match(answer.message, /allowed are 10/)
      }
    })
  )

  it.effect("is unpacked only as far as it is wanted", () =>
    Effect.gen(function* () {
      const long = Uint8Array.from({ length: 3_000_000 }, (_, i) => 48 + (Math.imul(i, 2654435761) >>> 26))
      const first = yield* Stream.runHead(ReportFile.csvOf(zip({ "a.csv": long })))
      assert.isTrue(first._tag === "Some" && first.value.byteLength < 1_000_000)
    })
  )

  it.effect("of a mangled archive is the right one or a clear error, never a crash", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
          fc.nat(good.length),
          fc.boolean(),
          async (changes, cut, cuts) => {
            const file = Uint8Array.from(good)
            for (const [at, byte] of changes) file[at] = byte
            const answer = await Effect.runPromise(unpack(cuts ? file.subarray(0, cut) : file))
            if (Either.isLeft(answer)) assert.strictEqual(answer.left._tag, "ReportUnreadable")
            // What no longer begins as an archive counts as text, and its header line is looked at later.
            else if (cut >= 3 && good.subarray(0, 3).every((byte, at) => file[at] === byte)) {
              assert.strictEqual(answer.right, sheet)
            }
          }
        ),
        { numRuns: 1000 }
      )
    )
  )
})
