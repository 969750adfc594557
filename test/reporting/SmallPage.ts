/**
 * As much of a browser's document as the script of a plan's page asks for: enough to run the real script over the real
 * page without a browser.
 */

const empty = new Set(["meta", "br"])

export class Text {
  readonly nodeName = "#text"
  parent: Element | undefined
  constructor(readonly textContent: string) {}
}

type Node = Text | Element

export class Element {
  parent: Element | undefined
  childNodes: Array<Node> = []
  readonly dataset: Record<string, string> = {}
  readonly attributes: Record<string, string> = {}
  private readonly listeners = new Map<string, Array<(event: { readonly key?: string }) => void>>()
  className = ""
  hidden = false
  value = ""
  constructor(readonly tag: string) {}

  get nodeName(): string {
    return this.tag.toUpperCase()
  }
  get children(): ReadonlyArray<Element> {
    return this.childNodes.filter((one) => one instanceof Element)
  }
  get firstChild(): Node | undefined {
    return this.childNodes[0]
  }
  get textContent(): string {
    return this.childNodes.map((one) => one.textContent).join("")
  }
  set textContent(text: string) {
    this.replaceChildren(new Text(text))
  }
  get nextElementSibling(): Element | undefined {
    const all = this.parent?.children ?? []
    return all[all.indexOf(this) + 1]
  }
  get tBodies(): ReadonlyArray<Element> {
    return this.children.filter(({ tag }) => tag === "tbody")
  }
  get tHead(): Element | undefined {
    return this.children.find(({ tag }) => tag === "thead")
  }
  get rows(): ReadonlyArray<Element> {
    return this.children.filter(({ tag }) => tag === "tr")
  }
  get cells(): ReadonlyArray<Element> {
    return this.children
  }
  append(...nodes: ReadonlyArray<Node>): void {
    for (const node of nodes) this.insert(this.childNodes.length, node)
  }
  before(node: Node): void {
    this.parent?.insert(this.parent.childNodes.indexOf(this), node)
  }
  after(node: Node): void {
    this.parent?.insert(this.parent.childNodes.indexOf(this) + 1, node)
  }
  remove(): void {
    if (this.parent !== undefined)
      this.parent.childNodes = this.parent.childNodes.filter((one) => one !== this)
    this.parent = undefined
  }
  replaceChildren(...nodes: ReadonlyArray<Node>): void {
    for (const node of this.childNodes) node.parent = undefined
    this.childNodes = []
    this.append(...nodes)
  }
  setAttribute(name: string, value: string): void {
    this.attributes[name] = value
    if (name.startsWith("data-")) this.dataset[name.slice("data-".length)] = value
  }
  removeAttribute(name: string): void {
    delete this.attributes[name]
  }
  addEventListener(name: string, heard: (event: { readonly key?: string }) => void): void {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), heard])
  }
  /** What a person does. */
  fire(name: string, event: { readonly key?: string } = {}): void {
    for (const heard of this.listeners.get(name) ?? []) heard(event)
  }
  all(tag?: string): ReadonlyArray<Element> {
    return this.children.flatMap((one) => [
      ...(tag === undefined || one.tag === tag ? [one] : []),
      ...one.all(tag)
    ])
  }
  /** `#id>a>b`, `#id a` and `a`. */
  querySelectorAll(selector: string): ReadonlyArray<Element> {
    const [first = "", ...steps] = selector.split(/(?=[> ])/)
    const start = first.startsWith("#")
      ? this.all().filter(({ attributes }) => attributes.id === first.slice(1))
      : this.all(first)
    return steps.reduce<ReadonlyArray<Element>>(
      (found, step) =>
        found.flatMap((one) =>
          step.startsWith(">")
            ? one.children.filter(({ tag }) => tag === step.slice(1))
            : one.all(step.slice(1))
        ),
      start
    )
  }
  getElementById(id: string): Element | undefined {
    return this.all().find(({ attributes }) => attributes.id === id)
  }
  createElement(tag: string): Element {
    return new Element(tag)
  }
  private insert(at: number, node: Node): void {
    if (node instanceof Element) node.remove()
    node.parent = this
    this.childNodes.splice(at, 0, node)
  }
}

const words: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" }
const plain = (text: string): string => text.replace(/&(?:lt|gt|quot|amp);/g, (word) => words[word] ?? word)

/** Reads markup as this program writes it; throws where an element does not end where it should. */
export const read = (html: string): Element => {
  const root = new Element("root")
  let open = root
  const end = (tag: string) => {
    if (open.tag !== tag || open.parent === undefined) throw new SyntaxError(`</${tag}> within <${open.tag}>`)
    open = open.parent
  }
  for (const [, raw, closing, tag = "", given = "", text = ""] of html.matchAll(
    /<(script|style)>[\s\S]*?<\/\1>|<(\/?)([a-z][a-z0-9]*)((?: [^>]*)?)>|([^<]+)/g
  )) {
    if (raw !== undefined) continue
    if (tag === "") open.append(new Text(plain(text)))
    else if (closing === "/") end(tag)
    else {
      const made = new Element(tag)
      for (const [, name = "", quoted, bare] of given.matchAll(/([\w-]+)(?:=(?:"([^"]*)"|([^\s"]+)))?/g))
        made.setAttribute(name, plain(quoted ?? bare ?? ""))
      open.append(made)
      if (!empty.has(tag)) open = made
    }
  }
  return root
}
