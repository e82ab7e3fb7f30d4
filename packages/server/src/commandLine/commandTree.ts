/** The commands with their options and arguments, read from the command definitions. */
import { CliConfig, CommandDescriptor, HelpDoc, type Usage } from "@effect/cli"
import { HashSet, Option } from "effect"
import { withoutColours } from "../output/paint.ts"

/** A command as the library describes it. */
export interface Described {
  readonly descriptor: CommandDescriptor.Command<unknown>
}

/** One option or argument. */
export interface Part {
  /** `--name`, `-h`, or `<project>`. */
  readonly name: string
  /** The value of an option: nothing, a whole number, one of a few words, or any text. */
  readonly takes: "nothing" | "whole number" | "text" | ReadonlyArray<string>
  /** The placeholder of the value in help: `NAME`. */
  readonly placeholder: string
  readonly required: boolean
  /** Whether it may be given more than once. */
  readonly repeated: boolean
}

/** One command: a group with commands below it, or one that does something. */
export interface CommandNode {
  /** As it is typed: `sibyl key list`. */
  readonly path: string
  /** One line. Computed only when shown, because rendering help takes longer than most commands. */
  readonly summary: () => string
  /** The meaning of each option and argument by name; computed only when shown. */
  readonly meanings: () => ReadonlyMap<string, string>
  /** The options by their names, with their dashes. */
  readonly options: ReadonlyMap<string, Part>
  /** The arguments in their order. */
  readonly args: ReadonlyArray<Part>
  readonly below: ReadonlyMap<string, CommandNode>
}

/** The shells that a completion script is written for. */
export const shells = ["bash", "zsh", "sh", "fish"] as const

const flag = (name: string): Part => ({ name, takes: "nothing", placeholder: "", required: false, repeated: false })

/** The options that every command has. */
export const everywhere: ReadonlyMap<string, Part> = new Map(
  [
    flag("--help"),
    flag("-h"),
    flag("--version"),
    { ...flag("--completions"), takes: shells, placeholder: shells.join("|") },
    { ...flag("--log-level"), takes: ["all", "trace", "debug", "info", "warning", "error", "fatal", "none"] }
  ].map((part) => [part.name, part])
)

/** A placeholder where the library only knows the type: the last word of the option's name. */
const placeholderOf = (name: string, accepted: string): string => {
  if (!/^(?:text|redacted|integer)$/.test(accepted)) return accepted.replaceAll(" | ", "|")
  return (name.split("-").at(-1) ?? "").toUpperCase()
}

const partOf = (name: string, accepted: string | undefined, required: boolean): Part => {
  if (accepted === undefined) return { ...flag(name), required }
  const words = accepted.split(" | ")
  const takes = accepted === "integer" ? "whole number" : words.length > 1 ? words : "text"
  return { ...flag(name), takes, placeholder: placeholderOf(name, accepted), required }
}

const partsOf = (usage: Usage.Usage, required: boolean): ReadonlyArray<Part> => {
  switch (usage._tag) {
    case "Named":
      return usage.names
        .filter((name) => /^[-<]/.test(name))
        .map((name) => partOf(name, Option.getOrUndefined(usage.acceptedValues), required))
    case "Optional":
      return partsOf(usage.usage, false)
    case "Repeated":
      return partsOf(usage.usage, false).map((part) => ({ ...part, repeated: true }))
    case "Alternation":
    case "Concat":
      return [...partsOf(usage.left, required), ...partsOf(usage.right, required)]
    case "Empty":
    case "Mixed":
      return []
  }
}

const textOf = (doc: HelpDoc.HelpDoc): string => withoutColours(HelpDoc.toAnsiText(doc)).trim()

const helpOf = (descriptor: Described["descriptor"]): HelpDoc.HelpDoc => CommandDescriptor.getHelp(descriptor, CliConfig.defaultConfig)

const summaryOf = (descriptor: Described["descriptor"]): string =>
  /^DESCRIPTION\n\n(.+)$/m.exec(textOf(helpOf(descriptor)))?.[1]?.trim() ?? ""

/** The library's description of each part has its type, then our text, then whether it is optional. */
const meaningsIn = (doc: HelpDoc.HelpDoc): ReadonlyArray<readonly [name: string, meaning: string]> => {
  switch (doc._tag) {
    case "DescriptionList":
      return doc.definitions.map(([span, said]) => {
        const [name = ""] = /--?[\w-]+|<[\w-]+>/.exec(textOf(HelpDoc.p(span))) ?? []
        return [
          name,
          textOf(said)
            .split(/\n\s*\n/)[1]
            ?.trim() ?? ""
        ] as const
      })
    case "Sequence":
      return [...meaningsIn(doc.left), ...meaningsIn(doc.right)]
    default:
      return []
  }
}

/** The commands below `path`; `groups` has the subcommands of those that are groups. */
export const commandTree = (
  path: string,
  commands: ReadonlyArray<Described>,
  groups: Readonly<Record<string, ReadonlyArray<Described>>>
): ReadonlyMap<string, CommandNode> =>
  new Map(
    commands.map(({ descriptor }): readonly [string, CommandNode] => {
      const [name = ""] = HashSet.toValues(CommandDescriptor.getNames(descriptor))
      const parts = partsOf(CommandDescriptor.getUsage(descriptor), true)
      const node: CommandNode = {
        path: `${path} ${name}`,
        summary: () => summaryOf(descriptor),
        meanings: () => new Map(meaningsIn(helpOf(descriptor))),
        options: new Map(parts.filter((part) => part.name.startsWith("-")).map((part) => [part.name, part])),
        args: parts.filter((part) => part.name.startsWith("<")),
        below: commandTree(`${path} ${name}`, groups[name] ?? [], {})
      }
      return [name, node]
    })
  )
