/** Places as the language server protocol counts them: lines and UTF-16 units from 0. */
import type { File } from "../engine/language/Load.js"
import type { Span } from "../engine/language/Policy.js"
import * as Source from "../engine/language/yaml/Source.js"

export interface Position {
  readonly line: number
  readonly character: number
}

/** The end is exclusive. */
export interface Range {
  readonly start: Position
  readonly end: Position
}

export interface TextEdit {
  readonly range: Range
  readonly newText: string
}

/** Part of a file, for jumps between files. */
export interface Location {
  readonly path: string
  readonly range: Range
}

/** A file with the way between the protocol's positions and the language's offsets, which skip a byte order mark. */
export class Sheet {
  readonly source: Source.Source
  private readonly starts: ReadonlyArray<number>
  /** Length of the byte order mark. */
  private readonly mark: number

  constructor(readonly file: File) {
    this.source = Source.make(file.path, file.text)
    this.mark = file.text.length - this.source.text.length
    this.starts = [0, ...Array.from(file.text.matchAll(/\r\n|\r|\n/g), (end) => end.index + end[0].length)]
  }

  /** Offset in `source.text`; positions outside the text are pulled to its nearest place. */
  offset({ character, line }: Position): number {
    const start = this.starts[Math.max(0, line)]
    if (start === undefined) return this.source.text.length
    const end = this.starts[line + 1] ?? this.file.text.length + 1
    const body = this.file.text.slice(start, end).replace(/[\r\n]+$/, "")
    return Math.max(0, start + Math.min(Math.max(0, character), body.length) - this.mark)
  }

  position(offset: number): Position {
    const at = Math.min(Math.max(0, offset) + this.mark, this.file.text.length)
    let low = 0
    let high = this.starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.starts[middle]! <= at) low = middle
      else high = middle - 1
    }
    return { line: low, character: at - this.starts[low]! }
  }

  range({ end, start }: Source.Range): Range {
    return { start: this.position(start), end: this.position(end) }
  }

  /** A place of a diagnostic, as offsets in `source.text`. */
  offsets({ column, endColumn, endLine, line }: Span): Source.Range {
    const { lineStarts } = this.source
    return {
      start: (lineStarts[line - 1] ?? 0) + column - 1,
      end: (lineStarts[endLine - 1] ?? 0) + endColumn - 1
    }
  }
}
