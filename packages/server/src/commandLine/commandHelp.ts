/** The help of one command: usage, arguments and options with their meanings, examples. */
import { Effect } from "effect"
import { examplesOf } from "./commandExamples.ts"
import type { CommandNode, Part } from "./commandTree.ts"
import { usageOf, type MeantCommand } from "./commandWords.ts"
import { type Paint, paintFor } from "../output/paint.ts"
import { fields } from "../output/table.ts"

/** Whether the words ask for the help of a single command, not of a group. */
export const isHelpWanted = ({ node, rest }: MeantCommand): boolean => {
  const own = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest
  return node.below.size === 0 && own.some((word) => word === "--help" || word === "-h")
}

const written = ({ name, placeholder }: Part): string => (placeholder === "" || name.startsWith("<") ? name : `${name} ${placeholder}`)

const section = (title: string, lines: ReadonlyArray<string>, paint: Paint): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", paint("bold", title), ...lines.map((line) => `  ${line}`)]

/** The lines of its help. */
export const commandHelp = (node: CommandNode, paint: Paint): ReadonlyArray<string> => {
  const meanings = node.meanings()
  const rows = (parts: Iterable<Part>) =>
    fields(
      [...parts].map((part) => [written(part), meanings.get(part.name) ?? ""]),
      paint
    )
  return [
    `${paint("bold", node.path)}: ${node.summary()}`,
    "",
    `Usage: ${usageOf(node)}`,
    ...section("Arguments", rows(node.args), paint),
    ...section("Options", rows(node.options.values()), paint),
    ...section("Examples", examplesOf(node.path), paint)
  ]
}

/** Prints it. */
export const showHelp = (node: CommandNode): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${commandHelp(node, paintFor(process.stdout)).join("\n")}\n`)
  })
