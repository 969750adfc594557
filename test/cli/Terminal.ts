/** The program at a terminal of its own, where somebody answers its questions. */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import * as Bundle from "./Bundle.js"
import * as Shop from "./Shop.js"

const script = "/usr/bin/script"

/** False on a machine without the program that makes terminals. */
export const isThere = existsSync(script)

/** Runs the program and gives each question, in their order, its letter of `answers`, once `before` that is over. */
export const answering = (
  shop: Shop.Shop,
  args: ReadonlyArray<string>,
  questions: ReadonlyArray<RegExp>,
  answers: string,
  before: (question: number) => unknown = () => undefined
): Promise<Shop.Ended> => {
  const line = [process.execPath, Bundle.program(), ...args].join(" ")
  const child = spawn(script, ["-qec", line, "/dev/null"], {
    cwd: shop.folder,
    env: { ...process.env, ...shop.environment, BIDHELM_TOKEN: sandboxToken({}) },
    stdio: ["pipe", "pipe", "pipe"]
  })
  // A question is drawn anew while it is answered, so each is known by its words.
  let said = ""
  let asked = 0
  let failure: unknown
  child.stdout.on("data", (part: Buffer) => {
    said += part.toString()
    if (questions[asked]?.test(said) !== true) return
    const question = asked++
    const answer = answers[question]
    // A question that nobody expected would wait for ever, as one before which something went wrong.
    if (answer === undefined) return child.kill()
    Promise.resolve(question)
      .then(before)
      .then(
        () => child.stdin.write(answer),
        (error) => {
          failure = error
          child.kill()
        }
      )
  })
  const end = Shop.ended(child)
  child.once("exit", () => child.stdin.end())
  return end.then((ended) => {
    if (failure !== undefined) throw failure
    return ended
  })
}
