/** The container file as data: its stages with their instructions, and the linter's findings. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { DockerfileParser } from "dockerfile-ast"
import { validate } from "dockerfile-utils"
import { fileURLToPath } from "node:url"

interface Ignored {
  readonly add: (patterns: string) => Ignored
  readonly ignores: (path: string) => boolean
}

// A CommonJS module whose types say that its function is a property.
const dockerignore = createRequire(import.meta.url)("@balena/dockerignore") as () => Ignored

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Where it stands, from the root. */
export const containerPath = "ops/container/Dockerfile"

/** One instruction: its keyword in capitals, and what follows it on one line. */
export interface Step {
  readonly keyword: string
  readonly text: string
}

/** One stage: the image that it begins with, its name if it has one, and its instructions. */
export interface Stage {
  readonly image: string
  readonly name: string | undefined
  readonly steps: ReadonlyArray<Step>
}

/** The stages of a container file, in order. */
export const stagesOf = (text: string): ReadonlyArray<Stage> => {
  const stages: Array<Stage & { readonly steps: Array<Step> }> = []
  const lines = text.split("\n")
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const keyword = instruction.getKeyword()
    const { end, start } = instruction.getRange()
    // The parser's own arguments lack options such as `--from=build`.
    const written = lines
      .slice(start.line, end.line + 1)
      .join("\n")
      .replaceAll(/\\\n\s*/g, "")
    const step = { keyword, text: written.trim().slice(keyword.length).trim() }
    if (keyword !== "FROM") stages.at(-1)?.steps.push(step)
    else {
      const [image = "", , name] = step.text.split(/\s+/)
      stages.push({ image, name, steps: [] })
    }
  }
  return stages
}

/** What the linter finds, as lines. */
export const findingsIn = (text: string): ReadonlyArray<string> =>
  validate(text).map(({ message, range }) => `line ${range.start.line + 1}: ${JSON.stringify(message)}`)

/** The container file of this repository. */
export const containerText = (): string => readFileSync(root + containerPath, "utf8")

/** Whether a path of the repository gets into the build: what `.dockerignore` leaves. */
export const isInContext = (): ((path: string) => boolean) => {
  const ignored = dockerignore().add(readFileSync(`${root}.dockerignore`, "utf8"))
  return (path) => !ignored.ignores(path)
}

/** The first arguments of an instruction, without options such as `--from=build`: those of a COPY are its sources, the last its target. */
export const plainArguments = ({ text }: Step): ReadonlyArray<string> => text.split(/\s+/).filter((word) => !word.startsWith("--"))
