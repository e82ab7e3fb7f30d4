/** Completion scripts: commands, options and their words, for bash and for the shells that read its functions. */
import { type CommandNode, everywhere, type Part, shells } from "./commandTree.ts"

const allNodes = (node: CommandNode): ReadonlyArray<CommandNode> => [node, ...[...node.below.values()].flatMap(allNodes)]

const quoted = (words: Iterable<string>): string => `'${[...words].join(" ")}'`

const wordsOf = ({ below, options }: CommandNode): string =>
  quoted([...below.keys(), ...new Set([...options.keys(), ...everywhere.keys()])])

const valueCases = (parts: Iterable<Part>): ReadonlyArray<string> => {
  const byName = new Map([...parts].map((part) => [`${part.name} ${String(part.takes)}`, part]))
  return [...byName.values()].flatMap(({ name, takes }) => {
    if (takes === "nothing") return []
    return [`    ${name}) words=${typeof takes === "string" ? "''" : quoted(takes)} ;;`]
  })
}

const bash = (root: CommandNode): ReadonlyArray<string> => {
  const nodes = allNodes(root)
  return [
    "_sibyl() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" path=sibyl words= i',
    "  for ((i = 1; i < COMP_CWORD; i++)); do",
    '    case "$path ${COMP_WORDS[i]}" in',
    `      ${nodes.slice(1).map(({ path }) => `'${path}'`).join("|")}) path="$path \${COMP_WORDS[i]}" ;;`,
    "    esac",
    "  done",
    '  case "$path" in',
    ...nodes.map((node) => `    '${node.path}') words=${wordsOf(node)} ;;`),
    "  esac",
    '  case "$prev" in',
    ...valueCases([...everywhere.values(), ...nodes.flatMap(({ options }) => [...options.values()])]),
    "  esac",
    // Where nothing fits, the shell goes on with the names of files.
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    "}",
    "complete -o default -F _sibyl sibyl"
  ]
}

const fish = (root: CommandNode): ReadonlyArray<string> => [
  "function __sibyl_path",
  "  string join ' ' (commandline -opc | string match -rv '^-')",
  "end",
  ...allNodes(root).flatMap(({ below, options, path }) => {
    const here = `complete -c sibyl -n 'string match -q -- "${path}*" (__sibyl_path)'`
    return [
      ...[...below.keys()].map((name) => `complete -c sibyl -f -n 'test (__sibyl_path) = "${path}"' -a ${name}`),
      ...[...options.values()].filter(({ name }) => name.startsWith("--")).map(({ name, takes }) => {
        const words = typeof takes === "string" ? "" : ` -fa '${takes.join(" ")}'`
        return `${here} -l ${name.slice(2)}${takes === "nothing" ? "" : " -r"}${words}`
      })
    ]
  })
]

/** The script for one of the {@link shells}, to be read by the shell: `source <(sibyl --completions bash)`. */
export const completionScript = (root: CommandNode, shell: (typeof shells)[number]): string => {
  const lines = shell === "fish"
    ? fish(root)
    : [...(shell === "zsh" ? ["autoload -U +X bashcompinit && bashcompinit"] : []), ...bash(root)]
  return `${lines.join("\n")}\n`
}

/** The shell whose script the words ask for. */
export const askedShell = (words: ReadonlyArray<string>): (typeof shells)[number] | undefined => {
  const at = words.findIndex((word) => /^--completions(?:=|$)/.test(word))
  const name = words[at]?.includes("=") === true ? words[at].slice("--completions=".length) : words[at + 1]
  return at < 0 ? undefined : shells.find((shell) => shell === name)
}
