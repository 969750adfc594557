/** Elements of an XML text one after another, without the prefixes of their names; what is not well-formed is refused. */
import { SaxesParser, type SaxesTagPlain } from "saxes"
import { Refusal } from "./Archive.js"

export type Attributes = Readonly<Record<string, string>>

/** `text` comes in one or several parts. */
export interface Hooks {
  readonly open?: (name: string, attributes: Attributes) => void
  readonly text?: (text: string) => void
  readonly close?: (name: string) => void
}

export const walk = (bytes: Uint8Array, { close, open, text }: Hooks): void => {
  const parser = new SaxesParser({ position: false, xmlns: false })
  parser.on("error", () => {
    throw new Refusal("is damaged: a part of it is no XML")
  })
  if (open !== undefined)
    parser.on("opentag", ({ attributes, name }: SaxesTagPlain) => open(local(name), attributes))
  if (close !== undefined) parser.on("closetag", ({ name }: SaxesTagPlain) => close(local(name)))
  if (text !== undefined) {
    parser.on("text", text)
    parser.on("cdata", text)
  }
  parser.write(decoded(bytes)).close()
}

/** An attribute whose prefix each program chooses for itself. */
export const prefixed = (attributes: Attributes, name: string): string | undefined =>
  Object.entries(attributes).find(([key]) => key !== name && local(key) === name)?.[1]

const local = (name: string): string => name.slice(name.indexOf(":") + 1)

const decoded = (bytes: Uint8Array): string => {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal("is damaged: a text in it cannot be read")
  }
}
