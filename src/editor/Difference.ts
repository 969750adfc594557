/** The edits between two texts, as few whole lines as possible, so that cursors and folds of an editor stay. */
import type { Sheet, TextEdit } from "./Place.js"

/** Pairs of lines beyond which the middle is replaced as one piece. */
const mostPairs = 1_000_000

/** Edits that make `text` of the sheet's file. */
export const edits = (sheet: Sheet, text: string): ReadonlyArray<TextEdit> => {
  const [old, now] = [lines(sheet.source.text), lines(text.replace(/^\ufeff/, ""))]
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  const room = Math.min(old.length, now.length) - head
  while (tail < room && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++
  const starts = [0]
  for (const line of old) starts.push(starts[starts.length - 1]! + line.length)
  const edit = ({ from, to, with: made }: Hunk): TextEdit => ({
    range: sheet.range({ start: starts[head + from]!, end: starts[head + to]! }),
    newText: made.join("")
  })
  return hunks(old.slice(head, old.length - tail), now.slice(head, now.length - tail)).map(edit)
}

const lines = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Lines `from` to `to` (exclusive) of the old text become others. */
interface Hunk {
  readonly from: number
  readonly to: number
  readonly with: ReadonlyArray<string>
}

/** Around the longest common subsequence of lines. */
const hunks = (old: ReadonlyArray<string>, now: ReadonlyArray<string>): ReadonlyArray<Hunk> => {
  if (old.length === 0 && now.length === 0) return []
  if (old.length * now.length > mostPairs) return [{ from: 0, to: old.length, with: now }]
  const width = now.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
  const found: Array<Hunk> = []
  let [i, j, from, since] = [0, 0, 0, 0]
  const close = () => {
    if (i > from || j > since) found.push({ from, to: i, with: now.slice(since, j) })
  }
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      close()
      i++
      j++
      from = i
      since = j
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) i++
    else j++
  }
  i = old.length
  j = now.length
  close()
  return found
}
