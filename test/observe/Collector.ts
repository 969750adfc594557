/** A collector of OpenTelemetry on this machine that keeps what it was sent. */
import { createServer } from "node:http"

export interface Sent {
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

export interface Collector {
  readonly url: string
  readonly sent: ReadonlyArray<Sent>
  readonly close: () => Promise<void>
}

/** Answers with this status; `"never"` takes what it is sent and leaves the caller waiting. */
export const open = async (status: number | "never" = 200): Promise<Collector> => {
  const sent: Array<Sent> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (part: string) => {
      body += part
    })
    request.on("end", () => {
      sent.push({ path: request.url ?? "", headers: request.headers, body })
      if (status !== "never") response.writeHead(status, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, sent, close }
}

/** Every object below a value, itself among them. */
export const objects = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  if (typeof value !== "object" || value === null) return []
  const below = Object.values(value).flatMap(objects)
  return Array.isArray(value) ? below : [value as Readonly<Record<string, unknown>>, ...below]
}
