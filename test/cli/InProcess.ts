/**
 * The real program in the test's own process: its words, layers, output and exit codes without the half second of
 * processor that a process takes to start. One command at a time has the process: its folder and its variables are the
 * command's until it ends, and nothing of the command may be left afterwards.
 */
import { realpathSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect } from "vitest"
import type { Source } from "../../src/cli/terminal/Input.js"
import * as ScaledClock from "../../src/domain/ScaledClock.js"
import * as OpenFiles from "../OpenFiles.js"
import * as NobodyWaits from "./NobodyWaits.js"
import type { Ended } from "./Shop.js"

/** Where a command is typed, and the variables that it sees. */
export interface Place {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

/** Somebody who types while a command runs, and hears what it prints. */
export interface Talk {
  readonly input: Source
  readonly out: (text: string) => void
}

interface Running {
  readonly test: string | undefined
  readonly fiber: Fiber.RuntimeFiber<number>
}

let last: Promise<unknown> = Promise.resolve()
let running: Running | undefined

/** Runs a command to its end, after those that were asked for before it. */
export const run = (place: Place, words: ReadonlyArray<string>, talk?: Talk): Promise<Ended> => {
  // A command that outlived its test would keep all later ones waiting.
  if (running !== undefined && running.test !== testNow()) Effect.runFork(Fiber.interrupt(running.fiber))
  const next = last.then(() => alone(place, words, talk))
  last = next.catch(() => undefined)
  return next
}

const testNow = (): string | undefined => expect.getState().currentTestName

const alone = async (place: Place, words: ReadonlyArray<string>, talk?: Talk): Promise<Ended> => {
  const Input = await import("../../src/cli/terminal/Input.js")
  const { outcome } = await import("../../src/cli/Program.js")
  let stdout = ""
  let stderr = ""
  const sink = {
    out: (text: string) => {
      stdout += text
      talk?.out(text)
    },
    err: (text: string) => {
      stderr += text
    }
  }
  const [folder, environment] = [process.cwd(), process.env]
  const before = listeners()
  process.chdir(place.folder)
  process.env = { ...place.environment }
  try {
    const command = outcome(words, sink).pipe(
      Effect.provideService(ScaledClock.Machine, NobodyWaits.machine),
      NobodyWaits.during
    )
    const fiber = Effect.runFork(talk === undefined ? command : Input.from(talk.input)(command))
    running = { test: testNow(), fiber }
    const code = await Effect.runPromise(Fiber.join(fiber))
    left(before)
    return { code, stdout, stderr }
  } finally {
    running = undefined
    process.env = environment
    process.chdir(folder)
  }
}

const events = ["SIGINT", "SIGTERM", "SIGHUP", "exit", "beforeExit", "warning", "uncaughtException"] as const

const listeners = (): ReadonlyArray<number> => events.map((event) => process.listenerCount(event))

/** Throws when a command has left something behind that would have ended with its process. */
const left = (before: ReadonlyArray<number>): void => {
  const found = [
    ...events.filter((event, i) => process.listenerCount(event) !== before[i]),
    ...(process.exitCode === undefined ? [] : [`exit code ${process.exitCode}`])
  ]
  process.exitCode = undefined
  if (found.length > 0) throw new Error(`the command left behind: ${found.join(", ")}`)
}

/**
 * Throws when commands have left files below a folder open, the store above all. What nobody holds any more has to be
 * collected before that can be known; it is for several folders at once, and a file that was removed meanwhile still counts.
 */
export const closed = async (folder: string): Promise<void> => {
  const real = `${realpathSync(folder)}/`
  if (openFiles().some((path) => path.startsWith(real))) held.add(real)
  if (held.size < together) return
  const open = () => openFiles().filter((path) => [...held].some((one) => path.startsWith(one)))
  await OpenFiles.released(() => open().length > 0)
  const left = open()
  held.clear()
  if (left.length > 0) throw new Error(`the commands left open: ${left.join(", ")}`)
}

/** Folders with files whose statements may only not have been collected yet. */
const held = new Set<string>()

/** So many of them are looked at together. */
const together = 40

const openFiles = (): ReadonlyArray<string> => OpenFiles.all() ?? []
