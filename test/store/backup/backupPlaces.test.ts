/** A backup where it cannot be written, or only in another way: what is said, and what is left. */
import fs, { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { StoreFailure } from "../../../src/domain/StoreFailure.js"
import * as Backup from "../../../src/store/backup/Backup.js"
import * as BackupFile from "../../../src/store/backup/BackupFile.js"
import * as Failure from "../../../src/store/clients/Failure.js"
import { inFolder, inMemory } from "../Fixture.js"

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

const failing = (code: string, call: string): Error =>
  Object.assign(new Error(`${code}: as the system says, ${call}`), { code, syscall: call })

/** Every call of this function fails as on a disk with this trouble. */
const breaks = (
  name: "linkSync" | "openSync" | "renameSync" | "writeFileSync" | "writeSync",
  code: string
) => {
  vi.spyOn(fs, name).mockImplementation(() => {
    throw failing(code, name)
  })
  syncBuiltinESMExports()
}

const refused = (path: string): Promise<StoreFailure> => inMemory(Effect.flip(Backup.write(path, 9_000)))

const inside = <A>(use: (folder: string) => Promise<A>): Promise<A> =>
  inFolder((folder) => Effect.promise(() => use(folder)))

const written = (path: string, text = "line") => {
  const file = new BackupFile.Writing(path)
  file.line([text])
  return file
}

describe("a backup that cannot be written", () => {
  it("says which folder is not there", () =>
    inside(async (folder) => {
      for (const name of ["no dir/b.gz", "no dir/"]) {
        const { message } = await refused(join(folder, name))
        expect(message).toContain(
          `there is no folder ${folder}/no dir; make it first: mkdir -p '${folder}/no dir'`
        )
      }
      const { message } = await refused(join(folder, "nodir", "b.gz"))
      expect(message).toContain(`could not write the backup ${folder}/nodir/b.gz: there is no folder`)
      expect(message).toMatch(/mkdir -p \/\S+\/nodir$/)
      expect(message).not.toMatch(/PostgreSQL|store's/)
    }))

  it("says that a file is no folder", () =>
    inside(async (folder) => {
      writeFileSync(join(folder, "b.gz"), "")
      const { message } = await refused(join(folder, "b.gz", "x.gz"))
      expect(message).toContain(`${folder}/b.gz is a file, or goes through one, and no folder`)
      expect(message).not.toContain("store")
    }))

  it.each([
    ["EACCES", "this user may not write into the folder FOLDER; check its owner"],
    ["EPERM", "this user may not write into the folder FOLDER; check its owner"],
    ["EROFS", "the disk of the folder FOLDER can only be read"],
    ["ENOSPC", "choose a folder on another disk, then run again: nothing is half written"],
    ["EDQUOT", "the disk of the folder FOLDER is full; free some space"],
    ["ENAMETOOLONG", "is too long; choose a shorter one"],
    ["EMFILE", "EMFILE: as the system says"]
  ])("says what the trouble of its own folder is: %s", (code, why) =>
    inside(async (folder) => {
      breaks("openSync", code)
      const { message } = await refused(join(folder, "b.gz"))
      expect(message).toContain(why.replace("FOLDER", folder))
      expect(message).not.toContain("the store's")
    })
  )

  it.each(["writeSync", "writeFileSync"] as const)(
    "fails when the disk fills up meanwhile, and nothing is left: %s",
    (name) =>
      inside(async (folder) => {
        breaks(name, "ENOSPC")
        const { message } = await refused(join(folder, "b.gz"))
        expect(message).toContain(`the disk of the folder ${folder} is full`)
        expect(readdirSync(folder)).toEqual([])
      })
  )

  it("fails in the middle of a large store as at its end", () =>
    inside(async (folder) => {
      vi.spyOn(BackupFile.Writing.prototype, "line").mockImplementation(() => {
        throw failing("ENOSPC", "write")
      })
      const { message } = await refused(join(folder, "b.gz"))
      expect(message).toContain(`the disk of the folder ${folder} is full`)
      expect(readdirSync(folder)).toEqual([])
    }))
})

describe.each(["EPERM", "ENOTSUP", "ENOSYS"])("a disk where a file has one name only (%s)", (code) => {
  it("takes a backup too", () =>
    inside(async (folder) => {
      const path = join(folder, "b.gz")
      breaks("linkSync", code)
      written(path).finish()
      await BackupFile.verify(path)
      expect(readdirSync(folder).sort()).toEqual(["b.gz", "b.gz.sha256"])
    }))

  it("keeps what came under the name meanwhile", () =>
    inside(async (folder) => {
      const path = join(folder, "b.gz")
      vi.spyOn(fs, "linkSync").mockImplementation(() => {
        writeFileSync(path, "somebody else's")
        throw failing(code, "link")
      })
      syncBuiltinESMExports()
      const file = written(path)
      expect(() => file.finish()).toThrow(/EEXIST/)
      file.abandon()
      expect(readFileSync(path, "utf8")).toBe("somebody else's")
      expect(readdirSync(folder)).toEqual(["b.gz"])
    }))

  it("has nothing under the name when the file cannot be moved to it", () =>
    inside(async (folder) => {
      const path = join(folder, "b.gz")
      breaks("linkSync", code)
      breaks("renameSync", "EIO")
      const file = written(path)
      expect(() => file.finish()).toThrow(/EIO/)
      expect(existsSync(path)).toBe(false)
    }))
})

it("tells a name that was taken at the last moment, whatever the disk", () =>
  inside(async (folder) => {
    const path = join(folder, "b.gz")
    breaks("linkSync", "EEXIST")
    expect((await refused(path)).message).toContain(`${path} exists, and a backup never replaces another`)
    expect(Failure.ofFile("write", path, failing("EEXIST", "open")).message).toContain(
      "never replaces another"
    )
  }))

it("replaces no checksum that was there, from the start or at the last moment", () =>
  inside(async (folder) => {
    const path = join(folder, "b.gz")
    writeFileSync(`${path}.sha256`, "of another")
    expect((await refused(path)).message).toContain(
      `${path}.sha256 exists, and a backup never replaces another`
    )
    rmSync(`${path}.sha256`)
    const file = written(path)
    writeFileSync(`${path}.sha256`, "of another")
    expect(() => file.finish()).toThrow(/\.sha256 exists, and a backup never replaces another/)
    expect(readFileSync(`${path}.sha256`, "utf8")).toBe("of another")
    expect(readdirSync(folder)).toEqual(["b.gz.sha256"])
  }))

it("takes only what cannot be connected to for a socket of PostgreSQL", () => {
  expect(Failure.hint(failing("ENOENT", "connect"))).toContain("the socket of PostgreSQL is not there")
  expect(Failure.hint(failing("ENOENT", "open"))).toBe("ENOENT: as the system says, open")
  expect(Failure.hint(failing("ECONNREFUSED", "connect"))).toContain("PostgreSQL does not answer")
})
