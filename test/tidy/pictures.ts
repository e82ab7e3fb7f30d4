/** The diagrams in docs/ARCHITECTURE.md: the packages' is generated from their manifests, the request's is checked against the code. */
import { posix } from "node:path"
import { exportsOf, importedNames, type Source } from "./sourceFile.ts"

/** The dependencies in a package's manifest. */
export interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const scope = "@sibyl/"

const shortName = (name: string): string => name.slice(scope.length)

/** The packages as a Mermaid flowchart: an arrow from each to its production dependencies. */
export const packagePicture = (manifests: ReadonlyArray<Manifest>): string => {
  const arrows = manifests.flatMap(({ dependencies = {}, name }) =>
    Object.keys(dependencies)
      .filter((other) => other.startsWith(scope))
      .map((other) => `  ${shortName(name)} --> ${shortName(other)}`)
  )
  return ["flowchart TD", ...arrows.toSorted()].join("\n")
}

/** One step: an export, and the file that declares it. */
export interface Step {
  readonly name: string
  /** From the root of the repository. */
  readonly path: string
}

/** An arrow between steps. `by` is undefined if the first imports the next, else the type through which the first receives the next. */
export interface Arrow {
  readonly from: string
  readonly to: string
  readonly by: string | undefined
}

/** A diagram of steps. */
export interface StepPicture {
  readonly steps: ReadonlyMap<string, Step>
  readonly arrows: ReadonlyArray<Arrow>
}

/** Parses `id["export<br/>package/file"]`, `a --> b` and `a -.->|Type| b`, one per line. */
export const readPicture = (text: string): StepPicture => {
  const steps = [...text.matchAll(/^ *(\w+)\["(\w+)<br\/>([\w-]+)\/([\w./-]+)"\]$/gm)]
  const arrows = [...text.matchAll(/^ *(\w+) (?:-->|-\.->\|(\w+)\|) (\w+)$/gm)]
  return {
    steps: new Map(steps.map(([, id = "", name = "", pkg = "", file = ""]) => [id, { name, path: `packages/${pkg}/src/${file}.ts` }])),
    arrows: arrows.map(([, from = "", by, to = ""]) => ({ from, to, by }))
  }
}

const packageOf = (path: string): string => path.split("/")[1] ?? ""

/** Whether a file declares a name, or imports it from the file or the package of `owner`. */
const knows = (source: Source, name: string, owner: string, valuesOnly: boolean): boolean =>
  (source.path === owner && !valuesOnly) ||
  importedNames(source).some(
    (one) =>
      one.name === name &&
      !(valuesOnly && one.typeOnly) &&
      (one.specifier.startsWith(".")
        ? posix.join(posix.dirname(source.path), one.specifier) === owner
        : one.specifier === `${scope}${packageOf(owner)}` && packageOf(source.path) !== packageOf(owner))
  )

/** What is wrong with a diagram: a step that does not exist, an arrow that the code does not have, a line that is neither. */
export const faultsOfPicture = (text: string, sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const { arrows, steps } = readPicture(text)
  const files = new Map(sources.map((source) => [source.path, source]))
  const declares = ({ name, path }: Step): boolean => {
    const file = files.get(path)
    return file !== undefined && exportsOf(file).some((one) => one.name === name)
  }
  const faultOfArrow = ({ by, from, to }: Arrow): string | undefined => {
    const [first, next] = [steps.get(from), steps.get(to)]
    const [a, b] = [files.get(first?.path ?? ""), files.get(next?.path ?? "")]
    if (next === undefined || a === undefined || b === undefined) return `${from} to ${to}: no such step`
    if (by === undefined) return knows(a, next.name, b.path, true) ? undefined : `${from} does not use ${to}`
    const owner = sources.find((source) => declares({ name: by, path: source.path }))?.path ?? ""
    return [a, b].every((file) => knows(file, by, owner, false)) ? undefined : `${from} and ${to} do not both know ${by}`
  }
  const read = text.split("\n").filter((line) => !/^ *(?:flowchart TD|subgraph .*|end)?$/.test(line)).length
  return [
    ...(read === steps.size + arrows.length ? [] : ["has lines that are neither a step nor an arrow"]),
    ...[...steps].filter(([, step]) => !declares(step)).map(([id, { name, path }]) => `${id}: ${path} does not export ${name}`),
    ...arrows.flatMap((arrow) => faultOfArrow(arrow) ?? [])
  ]
}

/** The steps that can be reached from one. */
export const reachedFrom = ({ arrows }: StepPicture, start: string): ReadonlySet<string> => {
  const reached = new Set([start])
  for (const step of reached) for (const { from, to } of arrows) if (from === step) reached.add(to)
  return reached
}
