/**
 * Lines that a person types or a scanner sends: a scanner is a keyboard that ends with Enter. Control characters inside a
 * line are kept, the group separator of marking codes (U+001D) above all; so no line editor of Node's is in between.
 */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import type * as Scope from "effect/Scope"
import * as Output from "./Output.js"

/** Who hears of the lines. */
export interface Listener {
  readonly line: (text: string) => void
  /** No line comes any more: the input is at its end, or the person asks to end. */
  readonly end: () => void
}

/** Where lines come from; what is answered ends the listening. */
export interface Source {
  readonly open: (to: Listener) => () => void
}

/** Lines as they come, for the scope. */
export const listen = (to: Listener): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(FiberRef.get(source), ({ open }) =>
    Effect.acquireRelease(
      Effect.sync(() => open(to)),
      (close) => Effect.sync(close)
    )
  ).pipe(Effect.asVoid)

/** Takes the lines of an effect from somewhere else. */
export const from = (other: Source) => Effect.locally(source, other)

/** A source that is filled from outside; what came before somebody listens is kept. */
export const filled = (): Source & Listener => {
  const kept: Array<(to: Listener) => void> = []
  let listener: Listener | undefined
  const pass = (what: (to: Listener) => void) => (listener === undefined ? kept.push(what) : what(listener))
  return {
    open: (to) => {
      listener = to
      for (const what of kept.splice(0)) what(to)
      return () => {
        listener = undefined
      }
    },
    line: (text) => void pass((to) => to.line(text)),
    end: () => void pass((to) => to.end())
  }
}

/** Shows what is typed, as long as it can only be a word: codes begin with other signs. */
const shown = (before: string, now: string): void => {
  if (now.length > before.length) {
    if (word.test(now)) Output.echo(now.slice(before.length))
  } else if (word.test(before)) Output.echo(now === "" && before.length > 1 ? "\n" : "\b \b")
}

const word = /^\p{L}[\p{L} ]{0,14}$/u

/** Longer than any code, in signs; more of a line is left out. */
const longest = 4096

/**
 * The input of this process. A terminal is read sign by sign and does not show what comes, for a mark can be resold; only
 * words that are typed are shown. Ctrl-C and Ctrl-D end the input there, and a second Ctrl-C ends the program.
 */
const ofProcess: Source = {
  open: (to) => {
    const { stdin } = process
    const isTerminal = stdin.isTTY === true
    const signs = cut(to.line, isTerminal ? shown : () => undefined)
    const last = () => {
      signs.rest()
      ended()
    }
    const close = () => {
      stdin.off("data", heard).off("end", last)
      if (isTerminal) stdin.setRawMode(false)
      stdin.pause()
      // A file has no such thing.
      stdin.unref?.()
    }
    const ended = () => {
      close()
      to.end()
    }
    const heard = (text: string) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal sends for Ctrl-C and Ctrl-D
      const stop = isTerminal ? text.search(/[\u0003\u0004]/) : -1
      signs.heard(stop < 0 ? text : text.slice(0, stop))
      if (stop >= 0) ended()
    }
    if (isTerminal) stdin.setRawMode(true)
    stdin.setEncoding("utf8").on("data", heard).on("end", last).resume()
    stdin.ref?.()
    return close
  }
}

const source = FiberRef.unsafeMake<Source>(ofProcess)

/** Cuts a stream of signs into lines at CR, LF or both; a sign that is taken back (Backspace) is. */
const cut = (line: (text: string) => void, seen: (before: string, now: string) => void) => {
  let begun = ""
  let afterReturn = false
  const whole = () => {
    const text = begun
    begun = ""
    line(text)
  }
  return {
    heard: (text: string) => {
      for (const sign of text) {
        const before = begun
        if (sign === "\n" && afterReturn) afterReturn = false
        else if (sign === "\n" || sign === "\r") whole()
        else if (sign === "\u007f" || sign === "\b") begun = [...begun].slice(0, -1).join("")
        else if (begun.length < longest) begun += sign
        if (before !== begun) seen(before, begun)
        afterReturn = sign === "\r"
      }
    },
    /** What has no end yet. */
    rest: () => {
      if (begun !== "") whole()
    }
  }
}
