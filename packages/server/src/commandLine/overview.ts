/** The help of a group of commands: one line per command. */
import { Effect } from "effect"
import type { CommandNode } from "./commandTree.ts"
import type { MeantCommand } from "./commandWords.ts"
import { fields } from "../output/table.ts"
import { type Paint, paintFor } from "../output/paint.ts"
import { serverVersion } from "../output/version.ts"

/** Whether the words name a group itself, not one of its commands. */
export const isOverviewWanted = ({ node, rest }: MeantCommand): boolean =>
  node.below.size > 0 && rest.every((word) => word === "--help" || word === "-h")

const leavesOf = (node: CommandNode): ReadonlyArray<CommandNode> =>
  node.below.size === 0 ? [node] : [...node.below.values()].flatMap(leavesOf)

/** The lines of a group's help. */
export const overview = (node: CommandNode, paint: Paint): ReadonlyArray<string> => [
  `${paint("bold", `Sibyl ${serverVersion}`)}: ${node.summary()}`,
  "",
  ...fields(
    leavesOf(node).map(({ path, summary }) => [path, summary()]),
    paint
  ),
  "",
  `${paint("bold", "COMMAND --help")} tells a command's options. With --json it answers with one JSON document.`,
  "Exit codes: 0 done, 1 refused or failed, 2 the command line or the configuration breaks a rule, 130 interrupted."
]

/** Prints it. */
export const showOverview = (node: CommandNode): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${overview(node, paintFor(process.stdout)).join("\n")}\n`)
  })
