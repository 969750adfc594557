/** Files that ship with the program: the starter rules, the field notes, and the letters that labels are set in. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as TextOrder from "../../domain/TextOrder.js"

/** The folder of `package.json`: one or more folders up, in sources as in the bundle. */
const root = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, "rules")) || !existsSync(join(folder, "package.json"))) {
    const up = dirname(folder)
    if (up === folder) throw new Error("the program's own files are missing; install it again")
    folder = up
  }
  return folder
}

export interface PackageFile {
  /** Path below the folder of rules, with forward slashes. */
  readonly path: string
  readonly content: string
}

/** The shipped rules, sorted by path. */
export const shippedRules = (): ReadonlyArray<PackageFile> => {
  const folder = join(root(), "rules")
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".yaml"))
    .map((entry) => {
      const absolute = join(entry.parentPath, entry.name)
      const path = absolute.slice(folder.length + 1).replaceAll("\\", "/")
      return { path, content: readFileSync(absolute, "utf8") }
    })
    .sort(TextOrder.by(({ path }) => path))
}

/** The page of field notes. */
export const fieldNotes = (): string => readFileSync(join(root(), "docs", "field-notes.md"), "utf8")

/** A file of the letters PT Sans: beside the bundle, or where its package is in a checkout. */
export const font = (name: "PTSans_400Regular" | "PTSans_700Bold"): Uint8Array => {
  const folder = root()
  const places = [
    join(folder, "dist", "fonts", `${name}.ttf`),
    join(folder, "node_modules", "@expo-google-fonts", "pt-sans", name.slice("PTSans_".length), `${name}.ttf`)
  ]
  const found = places.find((place) => existsSync(place))
  if (found === undefined) throw new Error("the program's own letters are missing; install it again")
  return new Uint8Array(readFileSync(found))
}
