/** Waiting for processes of their own. */
import { createServer } from "node:net"

/** Real milliseconds after which nobody waits any longer, however busy the machine is. */
const ceilingMs = 300_000

/** Asks again and again until the answer is true; fails, with the question, when that takes too long. */
export const until = async (reached: () => unknown): Promise<void> => {
  const end = performance.now() + ceilingMs
  while ((await reached()) !== true) {
    if (performance.now() > end) throw new Error(`waited ${ceilingMs / 1000} s in vain for ${reached}`)
    await new Promise((wake) => setTimeout(wake, 25))
  }
}

/** A port of this machine that nobody has now. */
export const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
