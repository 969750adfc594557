/**
 * The Dockerfile without Docker: its own COPY and RUN steps, stage by stage, each stage a folder that stands for the
 * root of an image. Absolute paths in a step mean that folder. What the base image brings is this machine's.
 */
import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, isAbsolute, join } from "node:path"
import { promisify } from "node:util"

interface Step {
  readonly word: string
  readonly text: string
}

export interface Image {
  /** The folder that stands for `/` of the last stage. */
  readonly root: string
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly user: string
  readonly entrypoint: ReadonlyArray<string>
  readonly command: ReadonlyArray<string>
  readonly health: ReadonlyArray<string>
  readonly stopSignal: string
  readonly volumes: ReadonlyArray<string>
}

/** Every instruction with its continued lines, in order; comments left out. */
export const steps = (dockerfile: string): ReadonlyArray<Step> =>
  dockerfile
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, word = "", text = ""] = /^(\w+)\s+(.*)$/.exec(line) ?? []
      return { word, text }
    })

/** What a build is given: the files that `.dockerignore` lets through. It has to be a list of exceptions to `*`. */
export const context = (source: string, to: string): void => {
  const lines = readFileSync(join(source, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  if (lines[0] !== "*") throw new Error(".dockerignore has to begin with *")
  for (const line of lines.slice(1)) {
    if (!line.startsWith("!")) throw new Error(`.dockerignore: ${line} is no exception`)
    cpSync(join(source, line.slice(1)), join(to, line.slice(1)), { recursive: true })
  }
}

/** Builds in a folder of its own. */
export const build = async (dockerfile: string, from: string, into: string): Promise<Image> => {
  const stages = new Map<string, string>()
  let image: Image | undefined
  for (const { text, word } of steps(dockerfile)) {
    if (word === "ARG" && image === undefined) continue
    if (word === "FROM") {
      const name = / AS (\w+)$/.exec(text)?.[1] ?? "last"
      stages.set(name, join(into, name))
      mkdirSync(join(into, name), { recursive: true })
      image = { ...empty, root: join(into, name) }
    } else if (image === undefined) throw new Error(`${word} stands before FROM`)
    else image = await after(image, word, text, { from, stages })
  }
  if (image === undefined) throw new Error("there is no FROM")
  return image
}

const empty = {
  folder: "/",
  environment: {},
  user: "root",
  entrypoint: [],
  command: [],
  health: [],
  stopSignal: "",
  volumes: []
}

interface Places {
  readonly from: string
  readonly stages: ReadonlyMap<string, string>
}

const after = async (image: Image, word: string, text: string, places: Places): Promise<Image> => {
  switch (word) {
    case "WORKDIR":
      mkdirSync(join(image.root, text), { recursive: true })
      return { ...image, folder: text }
    case "COPY":
      copy(image, text, places)
      return image
    case "RUN":
      await promisify(execFile)("sh", ["-ec", within(image, text)], {
        cwd: join(image.root, image.folder),
        env: { ...process.env, ...image.environment }
      })
      return image
    case "ENV": {
      const [, name = "", value = ""] = /^(\w+)=(.*)$/.exec(text) ?? []
      return { ...image, environment: { ...image.environment, [name]: value } }
    }
    case "USER":
      return { ...image, user: text }
    case "VOLUME":
      return { ...image, volumes: [...image.volumes, text] }
    case "STOPSIGNAL":
      return { ...image, stopSignal: text }
    case "ENTRYPOINT":
      return { ...image, entrypoint: JSON.parse(text) as ReadonlyArray<string> }
    case "CMD":
      return { ...image, command: JSON.parse(text) as ReadonlyArray<string> }
    case "HEALTHCHECK":
      return { ...image, health: JSON.parse(text.replace(/^.*? CMD /, "")) as ReadonlyArray<string> }
    default:
      throw new Error(`${word} is not known here`)
  }
}

/** The step with its absolute paths below the stage's root, and files given to whoever runs this. */
const within = (image: Image, text: string): string => {
  for (const [, path = ""] of text.matchAll(/(?:^|\s)(\/[\w./-]+)/g)) {
    mkdirSync(join(image.root, path, ".."), { recursive: true })
  }
  return text.replaceAll(/(^|\s)(?=\/\w)/g, `$1${image.root}`).replaceAll(/ -[og] node\b/g, "")
}

const copy = (image: Image, text: string, { from, stages }: Places): void => {
  const [, stage, rest = ""] = /^(?:--from=(\w+) )?(.*)$/.exec(text) ?? []
  const words = rest.split(" ")
  const to = words[words.length - 1] ?? ""
  const source = stage === undefined ? from : stages.get(stage)
  if (source === undefined) throw new Error(`COPY names no stage before it: ${text}`)
  const target = isAbsolute(to) ? join(image.root, to) : join(image.root, image.folder, to)
  for (const word of words.slice(0, -1)) {
    const path = join(source, word)
    const isFolder = statSync(path).isDirectory()
    // As Docker does: a folder's contents go to the target, a file into it when it is a folder.
    const intoFolder =
      !isFolder && (to.endsWith("/") || (existsSync(target) && statSync(target).isDirectory()))
    cpSync(path, intoFolder ? join(target, basename(path)) : target, {
      recursive: true,
      verbatimSymlinks: true
    })
  }
}

/** Paths of what stands in a folder of the image, one level deep. */
export const listed = (image: Image, folder: string): ReadonlyArray<string> =>
  readdirSync(join(image.root, folder)).sort()
