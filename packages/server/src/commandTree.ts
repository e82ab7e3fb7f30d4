/** What can be said on the command line: commands and their options, read from the commands themselves. */
import { CliConfig, CommandDescriptor, HelpDoc, type Usage } from "@effect/cli"
import { HashSet, Option } from "effect"
import { withoutColours } from "./output/paint.ts"

/** A command as the library describes it. */
export interface Described {
  readonly descriptor: CommandDescriptor.Command<unknown>
}

/** One command: a group with commands below it, or one that does something. */
export interface CommandNode {
  /** As it is typed: `sibyl key list`. */
  readonly path: string
  /** One line. Asked for only when it is shown: laying help out takes longer than most commands. */
  readonly summary: () => string
  /** The options, with their dashes, and whether each takes a value. */
  readonly options: ReadonlyMap<string, "value" | "flag">
  readonly below: ReadonlyMap<string, CommandNode>
}

/** The options that the library gives to every command. */
const everywhere: ReadonlyArray<readonly [name: string, takes: "value" | "flag"]> = [
  ["--help", "flag"],
  ["-h", "flag"],
  ["--version", "flag"],
  ["--wizard", "flag"],
  ["--completions", "value"],
  ["--log-level", "value"]
]

const optionsOf = (usage: Usage.Usage): CommandNode["options"] => {
  const found = new Map(everywhere)
  const visit = (part: Usage.Usage): void => {
    switch (part._tag) {
      case "Named":
        for (const name of part.names) {
          if (name.startsWith("-")) found.set(name, Option.isSome(part.acceptedValues) ? "value" : "flag")
        }
        return
      case "Optional":
      case "Repeated":
        return visit(part.usage)
      case "Alternation":
      case "Concat":
        visit(part.left)
        return visit(part.right)
      case "Empty":
      case "Mixed":
    }
  }
  visit(usage)
  return found
}

const summaryOf = (descriptor: Described["descriptor"]): string => {
  const help = withoutColours(HelpDoc.toAnsiText(CommandDescriptor.getHelp(descriptor, CliConfig.defaultConfig)))
  return /^DESCRIPTION\n\n(.+)$/m.exec(help)?.[1]?.trim() ?? ""
}

/** The commands below `path`; `groups` tells what is below those of them that are groups. */
export const commandTree = (
  path: string,
  commands: ReadonlyArray<Described>,
  groups: Readonly<Record<string, ReadonlyArray<Described>>>
): ReadonlyMap<string, CommandNode> =>
  new Map(
    commands.map(({ descriptor }): readonly [string, CommandNode] => {
      const [name = ""] = HashSet.toValues(CommandDescriptor.getNames(descriptor))
      const below = commandTree(`${path} ${name}`, groups[name] ?? [], {})
      const options = optionsOf(CommandDescriptor.getUsage(descriptor))
      return [name, { path: `${path} ${name}`, summary: () => summaryOf(descriptor), options, below }]
    })
  )
