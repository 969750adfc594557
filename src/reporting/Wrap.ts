/** Text that fits a terminal: broken at words, its indentation kept, and what continues a line stands further in. */

/**
 * Breaks every line that is wider than so many columns. What people copy stays whole: a line that is a command, and a
 * word that is wider still.
 */
export const lines = (text: string, columns: number): string =>
  text
    .split("\n")
    .map((line) => (command.test(line) || widthOf(line) <= columns ? line : broken(line, columns)))
    .join("\n")

const command = /^ *(?:\$ )?(?:bidhelm|export|npm|curl) (?!.*\S {2,}\S)/

/** The beginning of a line, as many columns of it as there are. */
export const cut = (line: string, columns: number): string => {
  let width = 0
  let kept = ""
  for (const letter of line) {
    width += widthOf(letter)
    if (width > columns) break
    kept += letter
  }
  return kept
}

/** Columns of a terminal that a text takes: colour codes and combining marks take none, wide letters two. */
export const widthOf = (text: string): number => {
  let width = 0
  for (const letter of text.replace(colour, "")) {
    if (!combining.test(letter)) width += wide.test(letter) ? 2 : 1
  }
  return width
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with an escape character
const colour = /\u001b\[[0-9;]*m/g
const combining = /^[\p{Mn}\p{Me}\p{Cf}]/u
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u

/** What continues a line stands below its second column where it has one, else so much further in than its beginning. */
const further = 2

const hangingOf = (line: string, indent: number, columns: number): number => {
  const first = /^ *\S.*? {2,}/.exec(line)?.[0]
  const column = first === undefined ? columns : widthOf(first)
  return Math.min(column <= columns / 2 ? column : indent + further, Math.floor(columns / 2))
}

const broken = (line: string, columns: number): string => {
  const indent = /^ */.exec(line)?.[0].length ?? 0
  const hanging = " ".repeat(hangingOf(line, indent, columns))
  const made: Array<string> = []
  let current = " ".repeat(Math.min(indent, columns))
  let gap = ""
  let isEmpty = true
  for (const part of line.slice(indent).split(/( +)/)) {
    if (part.startsWith(" ")) {
      gap = part
      continue
    }
    if (!isEmpty && widthOf(current) + gap.length + widthOf(part) > columns) {
      made.push(current)
      current = hanging + part
    } else current += isEmpty ? part : gap + part
    isEmpty = false
    gap = ""
  }
  return [...made, current].join("\n")
}
