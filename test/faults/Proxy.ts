/** A TCP proxy in front of a server, for the faults of networks: cut, stalled, reset, and healed again. */
import { createConnection, createServer, type Socket } from "node:net"

export interface Proxy {
  readonly port: number
  /** Ends every connection and takes no new one. */
  readonly cut: () => void
  /** Everything stays open and nothing goes through, in either direction, as when packets are dropped. */
  readonly stall: () => void
  /** Resets every connection; new ones go through. */
  readonly reset: () => void
  /** Lets everything through again; what was held back while stalled arrives late. */
  readonly heal: () => void
  readonly close: () => Promise<void>
}

type State = "open" | "cut" | "stalled"

/** Listens on a free port and passes everything on to `port`, both on this machine. */
export const start = (port: number): Promise<Proxy> =>
  new Promise((resolve, reject) => {
    let state: State = "open"
    const pairs = new Set<readonly [Socket, Socket]>()
    const end = () => {
      for (const [near, far] of pairs) {
        near.resetAndDestroy()
        far.resetAndDestroy()
      }
    }
    const hold = (isHeld: boolean) => {
      for (const one of [...pairs].flat()) isHeld ? one.pause() : one.resume()
    }
    const server = createServer((near) => {
      if (state === "cut") return void near.resetAndDestroy()
      const far = createConnection({ host: "127.0.0.1", port })
      const pair = [near, far] as const
      pairs.add(pair)
      join(near, far, () => pairs.delete(pair))
      join(far, near, () => pairs.delete(pair))
      if (state === "stalled") hold(true)
    })
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve({
        port: typeof address === "object" && address !== null ? address.port : 0,
        cut: () => {
          state = "cut"
          end()
        },
        stall: () => {
          state = "stalled"
          hold(true)
        },
        reset: end,
        heal: () => {
          state = "open"
          hold(false)
        },
        close: () => {
          end()
          return new Promise((closed) => server.close(() => closed()))
        }
      })
    })
  })

const join = (from: Socket, to: Socket, gone: () => void) => {
  from.on("data", (part: Buffer) => to.write(part))
  from.on("end", () => to.end())
  from.on("error", () => to.destroy())
  from.on("close", () => {
    to.destroy()
    gone()
  })
}
