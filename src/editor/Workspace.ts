/** Which files are checked together, as they are on disk and as they are being edited. */
import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { File } from "../engine/language/Load.js"
import * as Kinds from "../engine/language/shape/Kinds.js"
import { everyEach, Project } from "./Project.js"

export interface Disk {
  /** The folder of rules of a workspace, as an absolute path. */
  readonly rulesFolder: (root: string) => string
  /** Rule files and their tests below a folder, with absolute paths; none where there is no folder. */
  readonly read: (folder: string) => Promise<ReadonlyArray<File>>
}

/** An open document. */
interface Open {
  readonly uri: string
  readonly text: string
}

/** Files go by their paths from the workspace's root, or by absolute paths outside it. */
export class Workspace {
  private readonly rules: string
  private readonly opened = new Map<string, Open>()
  private readonly onDisk = new Map<string, Promise<ReadonlyArray<File>>>()
  private readonly projects = new Map<string, Project>()
  private readonly kept = new Map<string, File>()

  constructor(
    readonly root: string,
    private readonly disk: Disk
  ) {
    this.rules = disk.rulesFolder(root)
  }

  /** A document was opened or changed. One that is no rule file is left alone: editors send all their YAML. */
  put(open: Open): void {
    const path = this.pathOf(open.uri)
    if (this.isOurs(path, open.text)) this.opened.set(path, open)
    else this.opened.delete(path)
    this.projects.delete(this.folderOf(path))
  }

  close(uri: string): void {
    this.opened.delete(this.pathOf(uri))
    this.refresh()
  }

  /** Files on disk may have changed. */
  refresh(): void {
    this.onDisk.clear()
    this.projects.clear()
  }

  /** The name the document goes by in its project. */
  pathOf(uri: string): string {
    const path = localPath(uri)
    if (path === undefined) return uri
    const inside = relative(this.root, path)
    return inside.startsWith("..") || isAbsolute(inside) ? path : inside.split(sep).join("/")
  }

  /** As the editor itself wrote it where the file is open. */
  uriOf(path: string): string {
    const open = this.opened.get(path)
    if (open !== undefined) return open.uri
    return /^[a-z][a-z+-]+:/.test(path) ? path : pathToFileURL(resolve(this.root, path)).href
  }

  /** The project of a document, as it is once everything on disk has been read. */
  async project(path: string): Promise<Project> {
    const folder = this.folderOf(path)
    for (;;) {
      const reading = this.read(folder)
      const found = await reading
      if (this.onDisk.get(folder) !== reading) continue
      const known = this.projects.get(folder) ?? this.overlaid(folder, found)
      this.projects.set(folder, known)
      return known
    }
  }

  /** One document of every folder that has open documents. */
  get active(): ReadonlyArray<string> {
    const folders = new Map([...this.opened.keys()].map((path) => [this.folderOf(path), path]))
    return [...folders.values()].sort()
  }

  /** The configured folder of rules; elsewhere the folder around `_shared` and `tests`, or the document's own. */
  folderOf(path: string): string {
    const full = resolve(this.root, path)
    if (/^[a-z][a-z+-]+:/.test(path)) return path
    const inside = relative(this.rules, full)
    if (!inside.startsWith("..") && !isAbsolute(inside)) return this.rules
    let folder = dirname(full)
    while (/^(_shared|tests)$/.test(basename(folder))) folder = dirname(folder)
    return folder
  }

  /** In the folder of rules every YAML file is that is not hidden; elsewhere only what looks like one. */
  private isOurs(path: string, text: string): boolean {
    const folder = this.folderOf(path)
    if (this.isRules(folder))
      return Kinds.isYaml(path) && !/(^|[\\/])\./.test(relative(folder, resolve(this.root, path)))
    return /^version:[ \t]*1[ \t]*(#.*)?\r?$/m.test(text) && ours.test(text)
  }

  /** Only these folders are read: others may hold anything. */
  private isRules(folder: string): boolean {
    return folder === this.rules || basename(folder) === "rules"
  }

  private overlaid(folder: string, found: ReadonlyArray<File>): Project {
    const files = new Map(found.map((file) => [file.path, file]))
    for (const [path, { text }] of this.opened)
      if (this.folderOf(path) === folder) files.set(path, { ...files.get(path), path, text })
    return new Project([...files.values()].map((file) => this.keep(file)))
  }

  private read(folder: string): Promise<ReadonlyArray<File>> {
    const known = this.onDisk.get(folder)
    if (known !== undefined) return known
    const named = (file: File): File => ({ ...file, path: this.pathOf(pathToFileURL(file.path).href) })
    const reading = (this.isRules(folder) ? this.disk.read(folder) : Promise.resolve([])).then((files) =>
      files.map(named).filter(({ path }) => this.folderOf(path) === folder)
    )
    this.onDisk.set(folder, reading)
    return reading
  }

  /** The same object for the same text, so that nothing is read twice. */
  private keep(file: File): File {
    const known = this.kept.get(file.path)
    if (known?.text === file.text && known.data === file.data) return known
    this.kept.set(file.path, file)
    return file
  }
}

/** A key that rule files have and other YAML has not. */
const ours = new RegExp(
  `^(use:|each:[ \\t]*(${everyEach.join("|")})|kind:[ \\t]*(${[...Object.keys(Kinds.called), "tests"].join("|")}))`,
  "m"
)

/** Undefined for a URI that names no file of this machine. */
export const localPath = (uri: string): string | undefined => {
  if (!uri.startsWith("file:")) return undefined
  try {
    return fileURLToPath(uri)
  } catch {
    return undefined
  }
}
