/** The built program as an editor starts it, spoken to with the protocol's own library. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  type CodeAction,
  CodeActionRequest,
  CompletionRequest,
  createProtocolConnection,
  DefinitionRequest,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DocumentFormattingRequest,
  ErrorCodes,
  ExitNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  PrepareRenameRequest,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  RenameRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter
} from "vscode-languageserver/node"
import { TextDocument } from "vscode-languageserver-textdocument"
import { program } from "../cli/Bundle.js"

const folder = mkdtempSync(join(tmpdir(), "bidhelm-editor-"))
const uriOf = (path: string): string => pathToFileURL(join(folder, path)).href

const raise =
  "version: 1\r\nname: 😀 кеды\r\neach: cluster\r\nwhere: campaign.payment = cpm and campaign.bid_type = manual\r\nwindow: 7d\r\nwhen:\r\n" +
  "  - query contains any $brand and vews > 5\r\n  - orders >= $least\r\n" +
  "do:\r\n  raise_bid: {by: 10%, cap: 450 ₽}\r\n"

class Editor {
  readonly problems = new Map<string, PublishDiagnosticsParams>()
  private readonly waiting = new Set<() => void>()
  readonly ended: Promise<number | null>
  private constructor(
    readonly process: ChildProcess,
    readonly connection: ProtocolConnection
  ) {
    this.ended = new Promise((done) => process.on("exit", done))
    connection.onNotification(PublishDiagnosticsNotification.type, (params) => {
      this.problems.set(params.uri, params)
      for (const wake of this.waiting) wake()
    })
    connection.listen()
  }

  static start(args: ReadonlyArray<string>): Editor {
    const process = spawn(globalThis.process.execPath, [program(), "lsp", ...args], {
      cwd: folder,
      stdio: ["pipe", "pipe", "inherit"]
    })
    const connection = createProtocolConnection(
      new StreamMessageReader(process.stdout),
      new StreamMessageWriter(process.stdin)
    )
    return new Editor(process, connection)
  }

  async initialize() {
    const capabilities = { textDocument: { completion: { completionItem: { snippetSupport: true } } } }
    const rootUri = pathToFileURL(folder).href
    const answer = await this.connection.sendRequest(InitializeRequest.type, {
      processId: null,
      rootUri,
      capabilities,
      workspaceFolders: null
    })
    await this.connection.sendNotification(InitializedNotification.type, {})
    return answer
  }

  open(path: string, text: string) {
    const textDocument = { uri: uriOf(path), languageId: "yaml", version: 1, text }
    return this.connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument })
  }

  change(path: string, version: number, text: string) {
    return this.connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri: uriOf(path), version },
      contentChanges: [{ text }]
    })
  }

  /** Codes of a file, once they are these. */
  async codes(path: string, wanted: ReadonlyArray<string>): Promise<void> {
    const now = () =>
      JSON.stringify(this.problems.get(uriOf(path))?.diagnostics.map(({ code }) => code) ?? [])
    while (now() !== JSON.stringify(wanted))
      await new Promise<void>((wake) => {
        this.waiting.add(wake)
      })
  }
}

const applied = (text: string, action: CodeAction | undefined, path: string): string => {
  const edits = action?.edit?.changes?.[uriOf(path)] ?? []
  return TextDocument.applyEdits(TextDocument.create("", "yaml", 1, text), edits)
}

beforeAll(() => {
  program()
  mkdirSync(join(folder, "rules/_shared"), { recursive: true })
  mkdirSync(join(folder, "rules/tests"))
  writeFileSync(
    join(folder, "rules/_shared/vars.yaml"),
    "version: 1\nkind: vars\nvars: {brand: [a], least: 3}\n"
  )
  writeFileSync(join(folder, "rules/01-raise.yaml"), raise)
  writeFileSync(
    join(folder, "rules/02-minus.yaml"),
    "version: 1\nname: b\neach: cluster\nwhere: campaign.payment = cpm and campaign.bid_type = manual\nwindow: 7d\nwhen: ctr < 1% with 99% confidence and orders < $least\ndo: add_minus\n"
  )
  writeFileSync(
    join(folder, "rules/tests/02.test.yaml"),
    "version: 1\nkind: tests\npolicy: 02-minuss\ncases: []\n"
  )
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("bidhelm lsp", () => {
  it("shows problems, completes, explains, mends, renames, and ends with 0", async () => {
    const editor = Editor.start(["--stdio"])
    const { capabilities, serverInfo } = await editor.initialize()
    expect(serverInfo?.name).toBe("bidhelm")
    expect(capabilities.renameProvider).toEqual({ prepareProvider: true })
    const path = "rules/01-raise.yaml"
    const textDocument = { uri: uriOf(path) }
    await editor.open(path, raise)
    await editor.codes(path, ["E01"])
    const [problem] = editor.problems.get(textDocument.uri)?.diagnostics ?? []
    expect(problem).toMatchObject({ source: "bidhelm", severity: 1 })
    expect(problem?.range).toEqual({ start: { line: 6, character: 34 }, end: { line: 6, character: 38 } })

    const position = { line: 6, character: 36 }
    const { connection } = editor
    const completion = await connection.sendRequest(CompletionRequest.type, { textDocument, position })
    const items = completion === null || Array.isArray(completion) ? [] : completion.items
    expect(items.find(({ label }) => label === "views")?.textEdit).toMatchObject({
      newText: "views",
      range: problem?.range
    })

    const context = { diagnostics: [], only: ["quickfix"] }
    const range = { start: position, end: position }
    const actions = await connection.sendRequest(CodeActionRequest.type, { textDocument, range, context })
    const [fix] = (actions ?? []) as ReadonlyArray<CodeAction>
    expect(fix?.title).toBe("Write views instead of vews")
    const mended = applied(raise, fix, path)
    expect(mended).toBe(raise.replace("vews", "views"))
    const all = await connection.sendRequest(CodeActionRequest.type, {
      textDocument,
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
      context: { diagnostics: [], only: ["source.fixAll"] }
    })
    expect(applied(raise, (all as ReadonlyArray<CodeAction>)[0], path)).toBe(mended)

    await editor.change(path, 2, mended)
    await editor.codes(path, [])
    // Tests are looked at once the rules are in order.
    await editor.codes("rules/tests/02.test.yaml", ["T01", "T02"])

    const hover = await connection.sendRequest(HoverRequest.type, { textDocument, position })
    expect(JSON.stringify(hover)).toContain("How often the ad was shown")

    const atLeast = { textDocument, position: { line: 7, character: 15 } }
    expect(await connection.sendRequest(DefinitionRequest.type, atLeast)).toEqual({
      uri: uriOf("rules/_shared/vars.yaml"),
      range: { start: { line: 2, character: 19 }, end: { line: 2, character: 24 } }
    })
    expect(await connection.sendRequest(PrepareRenameRequest.type, atLeast)).toMatchObject({
      placeholder: "least"
    })
    const renamed = await connection.sendRequest(RenameRequest.type, { ...atLeast, newName: "few" })
    expect(Object.keys(renamed?.changes ?? {}).sort()).toEqual(
      [path, "rules/02-minus.yaml", "rules/_shared/vars.yaml"].map(uriOf).sort()
    )
    await expect(
      connection.sendRequest(RenameRequest.type, { ...atLeast, newName: "brand" })
    ).rejects.toThrow("$brand is already in rules/_shared/vars.yaml.")
    expect(
      await connection.sendRequest(DocumentFormattingRequest.type, {
        textDocument,
        options: { tabSize: 2, insertSpaces: true }
      })
    ).toEqual([])

    const whole = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }
    const bare = { textDocument: { uri: uriOf("rules/01-raise.yaml") }, range: whole }
    expect(await connection.sendRequest("textDocument/codeAction", bare)).toEqual(expect.any(Array))

    await connection.sendRequest(ShutdownRequest.type)
    await expect(connection.sendRequest("textDocument/codeAction", bare)).rejects.toMatchObject({
      code: ErrorCodes.InvalidRequest
    })
    await connection.sendNotification(ExitNotification.type)
    expect(await editor.ended).toBe(0)
  }, 60_000)

  it("shows the problems of a file on disk that a change elsewhere brings about, whatever link leads nowhere", async () => {
    symlinkSync("gone.yaml", join(folder, "rules/03-gone.yaml"))
    const editor = Editor.start([])
    await editor.initialize()
    await editor.open("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {brand: [a], leest: 3}\n")
    await editor.codes("rules/02-minus.yaml", ["E15"])
    const exited = editor.ended
    editor.process.stdin?.end()
    expect(await exited).toBe(1)
  }, 60_000)
})
