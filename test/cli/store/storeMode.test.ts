/** Who may read the store's file: what a seller earns and pays is nobody else's business. */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Store from "../../../src/cli/store/Store.js"
import * as Migrations from "../../../src/store/schema/Migrations.js"

let folder: string
let before: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-mode-"))
  // As most machines are set up: without a mode of its own a file is open to all for reading.
  before = process.umask(0o022)
})
afterEach(() => {
  process.umask(before)
  rmSync(folder, { recursive: true, force: true })
})

const mode = (path: string) => statSync(path).mode & 0o777

/** The modes of the file and what is beside it while the store is open and was written to. */
const whileOpen = (path: string) =>
  Effect.runPromise(
    Effect.andThen(
      Migrations.migrate,
      Effect.sync(() =>
        ["", "-wal", "-shm"]
          .map((ending) => `${path}${ending}`)
          .filter(existsSync)
          .map(mode)
      )
    ).pipe(Effect.provide(Store.client({ _tag: "Sqlite", path })))
  )

describe.skipIf(process.platform === "win32")("the store's file", () => {
  it("is made for its user alone, with what is beside it and the folders it needs", async () => {
    const path = join(folder, "new", ".bidhelm", "bidhelm.sqlite")
    expect(await whileOpen(path)).toEqual([0o600, 0o600, 0o600])
    expect([mode(join(folder, "new")), mode(join(folder, "new", ".bidhelm"))]).toEqual([0o700, 0o700])
  })

  it("is narrowed when an earlier version left it open to others; a folder that was there stays as it is", async () => {
    const own = join(folder, "own")
    mkdirSync(own)
    chmodSync(own, 0o755)
    const path = join(own, "bidhelm.sqlite")
    await whileOpen(path)
    chmodSync(path, 0o644)
    expect(await whileOpen(path)).toEqual([0o600, 0o600, 0o600])
    expect(mode(own)).toBe(0o755)
  })

  it("is named where it cannot be written, also one beside it that an earlier start left so", async () => {
    const [made, path] = [join(folder, "made.sqlite"), join(folder, "bidhelm.sqlite")]
    await whileOpen(made)
    // Not the file itself: this process may have that open for a while yet.
    copyFileSync(made, path)
    // As a process leaves it that opened the store while that could only be read.
    writeFileSync(`${path}-shm`, Buffer.alloc(32_768), { mode: 0o400 })
    const isRoot = process.getuid?.() === 0
    if (isRoot) for (const name of [folder, path, `${path}-shm`]) chownSync(name, 65_534, 65_534)
    if (isRoot) process.seteuid?.(65_534)
    try {
      await expect(whileOpen(path)).rejects.toThrow(
        `could not open the store ${path}: this user may not read and write ${path}-shm; check owner and permissions`
      )
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
  })

  it("is left alone when it is no store", async () => {
    const path = join(folder, "letter.txt")
    writeFileSync(path, "This is a letter and no database. ".repeat(20))
    chmodSync(path, 0o644)
    await expect(whileOpen(path)).rejects.toThrow(/not a store/)
    expect(mode(path)).toBe(0o644)
  })
})
