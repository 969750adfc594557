/** One door for tests of the editor: a text with `|` where the cursor stands. */
import { TextDocument } from "vscode-languageserver-textdocument"
import * as Completion from "../../src/editor/Completion.js"
import type { Position, TextEdit } from "../../src/editor/Place.js"
import { Sheet } from "../../src/editor/Place.js"
import { Project } from "../../src/editor/Project.js"
import type { File } from "../../src/engine/language/Load.js"

export interface Marked {
  readonly project: Project
  readonly path: string
  readonly position: Position
  readonly text: string
}

/** The project of a text whose cursor is marked with `|`. */
export const marked = (written: string, path = "rules/a.yaml", others: ReadonlyArray<File> = []): Marked => {
  const offset = written.indexOf("|")
  if (offset < 0) throw new Error("no | in the text")
  const text = written.slice(0, offset) + written.slice(offset + 1)
  const file = { path, text }
  const mark = text.charCodeAt(0) === 0xfeff ? 1 : 0
  return {
    project: new Project([file, ...others]),
    path,
    position: new Sheet(file).position(offset - mark),
    text
  }
}

/** Labels of the completion at the mark, sorted as an editor would. */
export const labels = (
  written: string,
  path?: string,
  others?: ReadonlyArray<File>
): ReadonlyArray<string> => {
  const at = marked(written, path, others)
  return Completion.at(at.project, at.path, at.position)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ label }) => label)
}

/** The files with an editor's edits made. */
export const changed = (
  files: ReadonlyArray<File>,
  edits: ReadonlyMap<string, ReadonlyArray<TextEdit>>
): ReadonlyArray<File> =>
  files.map((file) => {
    const document = TextDocument.create(file.path, "yaml", 1, file.text)
    return { ...file, text: TextDocument.applyEdits(document, [...(edits.get(file.path) ?? [])]) }
  })
