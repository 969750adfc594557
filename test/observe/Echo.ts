/** A marketplace that fails now and then, and quotes the whole request in its answer, token and all. */
import { createServer, request as send } from "node:http"

export interface Echo {
  readonly url: string
  /** How many requests were answered with themselves. */
  readonly quoted: () => number
  readonly close: () => Promise<void>
}

export const before = async (url: string, everyNth: number): Promise<Echo> => {
  let count = 0
  let quoted = 0
  const server = createServer((request, response) => {
    const path = request.url ?? "/"
    if (!path.startsWith("/_sandbox") && ++count % everyNth === 0) {
      quoted++
      const said = `cannot serve ${JSON.stringify(request.rawHeaders)} token=${request.headers.authorization}`
      response
        .writeHead(503, { "content-type": "application/json" })
        .end(JSON.stringify({ detail: said, title: said }))
      return
    }
    const { host: _, ...headers } = request.headers
    const passed = send(new URL(path, url), { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    passed.on("error", () => response.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    quoted: () => quoted,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
