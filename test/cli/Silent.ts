/** A marketplace that hears and never answers: requests are passed on or swallowed, their answers withheld. */
import { createServer, request as send } from "node:http"

export interface Silent {
  readonly url: string
  /** From now on requests of these paths are heard, and nothing comes back; undefined ends that. */
  silence: { readonly path: RegExp; readonly arrives: boolean } | undefined
  /** Ends the silence, and lets out the answers that were withheld of requests that arrived. */
  readonly speak: () => void
  /** How many requests were left without an answer. */
  readonly unanswered: () => number
  /** How many requests came in all, questions for the time left out. */
  readonly heard: () => number
  readonly close: () => Promise<void>
}

export const before = async (url: string): Promise<Silent> => {
  let unanswered = 0
  let heard = 0
  const withheld: Array<() => void> = []
  const server = createServer((request, response) => {
    const path = request.url ?? "/"
    const { silence } = silent
    const isSilent = silence?.path.test(path) === true
    if (isSilent) unanswered++
    if (!path.startsWith("/_sandbox")) heard++
    if (isSilent && !silence?.arrives) return void request.resume()
    const { host: _, ...headers } = request.headers
    const passed = send(new URL(path, url), { method: request.method, headers }, (answer) => {
      const pass = () => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      }
      if (isSilent) withheld.push(pass)
      else pass()
    })
    passed.on("error", () => response.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const silent: Silent = {
    url: `http://127.0.0.1:${port}`,
    silence: undefined,
    speak: () => {
      silent.silence = undefined
      for (const pass of withheld.splice(0)) pass()
    },
    unanswered: () => unanswered,
    heard: () => heard,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
  return silent
}
