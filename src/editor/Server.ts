/** The language server: the protocol's words for what this folder knows. The only file that speaks it. */
import {
  type CodeAction,
  CodeActionKind,
  type CompletionItem,
  CompletionItemKind,
  type Connection,
  createConnection,
  type Diagnostic,
  DiagnosticSeverity,
  DidChangeWatchedFilesNotification,
  ErrorCodes,
  type InitializeParams,
  type InitializeResult,
  InsertTextFormat,
  InsertTextMode,
  LogMessageNotification,
  LSPErrorCodes,
  MessageType,
  ResponseError,
  TextDocumentSyncKind,
  TextDocuments,
  type WorkspaceEdit
} from "vscode-languageserver/node"
import { TextDocument } from "vscode-languageserver-textdocument"
import * as Completion from "./Completion.js"
import type { Price } from "./FactCard.js"
import * as Hover from "./Hover.js"
import * as Mending from "./Mending.js"
import type { Location, Position, TextEdit } from "./Place.js"
import type { Project } from "./Project.js"
import type { Suggestion } from "./Suggestion.js"
import * as Variables from "./Variables.js"
import { type Disk, localPath, Workspace } from "./Workspace.js"

interface Host extends Disk {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  readonly version: string
  /** The workspace's root where the editor names none. */
  readonly root: string
  readonly price: Price
}

/** Time without typing, in milliseconds, after which problems are looked for. */
const pauseMs = 150

const fixAll = `${CodeActionKind.SourceFixAll}.bidhelm`

/** Serves until the editor says exit or closes the stream, which ends the process. */
export const serve = (host: Host): void => {
  const connection = createConnection(host.input, host.output)
  new Server(connection, host).listen()
}

class Server {
  private workspace: Workspace
  private readonly documents = new TextDocuments(TextDocument)
  private readonly published = new Map<string, string>()
  private client: InitializeParams["capabilities"] = {}
  private round = 0
  private isShut = false
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly connection: Connection,
    private readonly host: Host
  ) {
    this.workspace = new Workspace(host.root, host)
  }

  listen(): void {
    const { connection } = this
    const documents = this.documents
    connection.onInitialize((params) => this.initialize(params))
    connection.onShutdown(() => {
      this.refuseWhenShut()
      this.isShut = true
    })
    connection.onInitialized(() => this.watch())
    connection.onDidChangeWatchedFiles(() => this.stale())
    documents.onDidChangeContent(({ document }) => {
      this.workspace.put({ uri: document.uri, text: document.getText() })
      this.soon()
    })
    documents.onDidSave(() => this.stale())
    documents.onDidClose(({ document }) => {
      this.workspace.close(document.uri)
      this.soon()
    })
    this.answer()
    documents.listen(connection)
    connection.listen()
  }

  private initialize({ capabilities, rootUri, workspaceFolders }: InitializeParams): InitializeResult {
    this.refuseWhenShut()
    const uri = workspaceFolders?.[0]?.uri ?? rootUri
    const root = localPath(uri ?? "") ?? this.host.root
    this.client = capabilities
    this.workspace = new Workspace(root, this.host)
    return {
      serverInfo: { name: "bidhelm", version: this.host.version },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
        completionProvider: { triggerCharacters: [".", "$", "[", " ", "=", ":"] },
        hoverProvider: true,
        definitionProvider: true,
        renameProvider: { prepareProvider: true },
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, fixAll] },
        documentFormattingProvider: true
      }
    }
  }

  private answer(): void {
    const { connection, host } = this
    connection.onCompletion(async ({ position, textDocument }) => {
      const { path, project } = await this.find(textDocument.uri)
      const items = Completion.at(project, path, position, host.price).map((one) => this.item(one))
      return { isIncomplete: false, items }
    })
    connection.onHover(async ({ position, textDocument }) => {
      const { path, project } = await this.find(textDocument.uri)
      const told = Hover.at(project, path, position, host.price)
      return told === undefined
        ? null
        : { contents: { kind: "markdown", value: told.text }, range: told.range }
    })
    connection.onDefinition(async ({ position, textDocument }) => {
      const { path, project } = await this.find(textDocument.uri)
      const found = definitionAt(project, path, position)
      return found === undefined ? null : { uri: this.workspace.uriOf(found.path), range: found.range }
    })
    connection.onDocumentFormatting(async ({ textDocument }) => {
      const { path, project } = await this.find(textDocument.uri)
      return [...Mending.format(project, path)]
    })
    connection.onCodeAction(async ({ context, range, textDocument }) => {
      // Some editors leave the context out.
      const wanted = (context as typeof context | undefined)?.only
      const wants = (kind: string) =>
        wanted === undefined || wanted.some((only) => `${kind}.`.startsWith(`${only}.`))
      return [
        ...(wants(CodeActionKind.QuickFix) ? await this.quickFixes(textDocument.uri, range) : []),
        ...(wants(fixAll) ? await this.fixAll(textDocument.uri) : [])
      ]
    })
    this.answerRename()
  }

  private answerRename(): void {
    const at = async (uri: string, position: Parameters<typeof Completion.at>[2]) => {
      const { path, project } = await this.find(uri)
      const page = project.page(path)
      const offset = page?.sheet.offset(position) ?? 0
      const place = page === undefined ? undefined : Variables.mentionAt(page, offset)
      const found = page === undefined ? undefined : Variables.at(project, page, offset)
      if (page === undefined || place === undefined || found === undefined)
        throw new ResponseError(LSPErrorCodes.RequestFailed, "Only variables ($name) can be renamed.")
      return { project, found, range: page.sheet.range(place.range) }
    }
    this.connection.onPrepareRename(async ({ position, textDocument }) => {
      const { found, range } = await at(textDocument.uri, position)
      return { range, placeholder: found.name }
    })
    this.connection.onRenameRequest(async ({ newName, position, textDocument }) => {
      const { found, project } = await at(textDocument.uri, position)
      const edits = Variables.rename(project, found, newName)
      if (typeof edits === "string") throw new ResponseError(LSPErrorCodes.RequestFailed, edits)
      return this.edit(edits)
    })
  }

  /** After a shutdown nothing is answered any more. */
  private refuseWhenShut(): void {
    if (this.isShut) throw new ResponseError(ErrorCodes.InvalidRequest, "The server was shut down.")
  }

  private async find(uri: string) {
    this.refuseWhenShut()
    const path = this.workspace.pathOf(uri)
    return { path, project: await this.workspace.project(path) }
  }

  private edit(edits: ReadonlyMap<string, ReadonlyArray<TextEdit>>): WorkspaceEdit {
    const changes = [...edits].map(([path, made]): [string, Array<TextEdit>] => [
      this.workspace.uriOf(path),
      [...made]
    ])
    return { changes: Object.fromEntries(changes) }
  }

  private item({ about, detail, kind, label, plain, rank, snippet }: Completion.Offered): CompletionItem {
    const { completionItem } = this.client.textDocument?.completion ?? {}
    const knowsSnippets = completionItem?.snippetSupport === true
    return {
      label,
      kind: kinds[kind],
      detail,
      sortText: `${rank}${label}`,
      ...(about === "" ? {} : { documentation: { kind: "markdown", value: about } }),
      textEdit: knowsSnippets ? snippet : plain,
      insertTextFormat: knowsSnippets ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
      insertTextMode: InsertTextMode.adjustIndentation
    }
  }

  private async quickFixes(uri: string, range: TextEdit["range"]): Promise<ReadonlyArray<CodeAction>> {
    const { path, project } = await this.find(uri)
    return Mending.fixes(project, path, range).map(({ edits, problem, title }) => ({
      title,
      kind: CodeActionKind.QuickFix,
      isPreferred: true,
      diagnostics: [this.diagnostic(problem)],
      edit: this.edit(new Map([[path, edits]]))
    }))
  }

  private async fixAll(uri: string): Promise<ReadonlyArray<CodeAction>> {
    const { path, project } = await this.find(uri)
    const edits = Mending.all(project, path)
    if (edits.length === 0) return []
    const edit = this.edit(new Map([[path, edits]]))
    return [{ title: "Mend everything that is certain in this file", kind: fixAll, edit }]
  }

  /** What is on disk may differ from what was read. */
  private stale(): void {
    this.workspace.refresh()
    this.soon()
  }

  private soon(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.publish().catch((error) => this.log(String(error)))
    }, pauseMs)
  }

  private log(message: string): void {
    void this.connection.sendNotification(LogMessageNotification.type, { type: MessageType.Error, message })
  }

  /** Sends the problems of every file whose problems differ from what was sent before. */
  private async publish(): Promise<void> {
    const round = ++this.round
    const now = new Map<string, ReadonlyArray<Diagnostic>>()
    for (const document of this.workspace.active) {
      const project = await this.workspace.project(document)
      for (const path of project.pages.keys()) {
        const found = Mending.problems(project, path).map((one) => this.diagnostic(one))
        now.set(this.workspace.uriOf(path), found)
      }
    }
    // While files were being read, something changed: the next round tells more.
    if (round !== this.round) return
    for (const uri of this.published.keys()) if (!now.has(uri)) now.set(uri, [])
    for (const [uri, diagnostics] of now) {
      const text = JSON.stringify(diagnostics)
      if ((this.published.get(uri) ?? "[]") === text) continue
      this.published.set(uri, text)
      void this.connection.sendDiagnostics({ uri, diagnostics: [...diagnostics] })
    }
  }

  private diagnostic({ code, message, range, related, severity }: Mending.Problem): Diagnostic {
    const elsewhere = related.map((one) => ({
      location: { uri: this.workspace.uriOf(one.path), range: one.range },
      message: one.message
    }))
    return {
      range,
      severity: severity === "error" ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
      code,
      source: "bidhelm",
      message,
      ...(elsewhere.length === 0 ? {} : { relatedInformation: elsewhere })
    }
  }

  private watch(): void {
    if (this.client.workspace?.didChangeWatchedFiles?.dynamicRegistration !== true) return
    void this.connection.client.register(DidChangeWatchedFilesNotification.type, {
      watchers: [{ globPattern: watched }]
    })
  }
}

/** The endings of what is read (`Kinds.isYaml`, `Kinds.isTable`), in letters of either case: a pattern knows no other way. */
export const watched = `**/*.{${["yaml", "yml", "csv", "xlsx"]
  .map((ending) => ending.replace(/./g, (letter) => `[${letter}${letter.toUpperCase()}]`))
  .join(",")}}`

const kinds: Readonly<Record<Suggestion["kind"], CompletionItemKind>> = {
  fact: CompletionItemKind.Field,
  key: CompletionItemKind.Property,
  action: CompletionItemKind.Method,
  word: CompletionItemKind.EnumMember,
  variable: CompletionItemKind.Variable,
  function: CompletionItemKind.Function,
  keyword: CompletionItemKind.Keyword,
  window: CompletionItemKind.Unit
}

// Where a name is defined: a variable, or the policy that a test file names.

export const definitionAt = (project: Project, path: string, position: Position): Location | undefined => {
  const page = project.page(path)
  if (page === undefined) return undefined
  if (page.kind !== "tests") return Variables.definition(project, page, position)
  const line = page.sheet.source.text.split("\n")[position.line] ?? ""
  const tested = /^policy:/.test(line) ? project.tested(page) : undefined
  const start = { line: 0, character: 0 }
  return tested === undefined ? undefined : { path: tested.path, range: { start, end: start } }
}
