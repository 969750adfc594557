/** Waiting for processes of their own. */
import { createServer } from "node:net"

/** Asks again and again until the answer is true; the test's own time is the end. */
export const until = async (reached: () => unknown): Promise<void> => {
  while ((await reached()) !== true) await new Promise((wake) => setTimeout(wake, 50))
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
