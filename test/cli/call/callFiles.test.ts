/** Files of an answer beside each other in a folder. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as CallFiles from "../../../src/cli/call/CallFiles.js"

it("files that the answer calls alike, or as one was renamed, all get a name of their own", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bidhelm-files-"))
  try {
    const stickers = ["a-2", "a-3", "a", "a", "a", "a-2"].map((barcode, at) => ({
      barcode,
      file: Buffer.from(`sticker ${at}`).toString("base64")
    }))
    const { files } = await Effect.runPromise(CallFiles.unpack(folder, {}, { stickers }))
    const names = ["a-2", "a-3", "a", "a-4", "a-5", "a-2-2"]
    expect(files).toEqual(names.map((name) => join(folder, `${name}.pdf`)))
    expect(files.map((path) => readFileSync(path, "utf8"))).toEqual(stickers.map((_, at) => `sticker ${at}`))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
