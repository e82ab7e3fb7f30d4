/** Completion scripts for commands, options and their values, for bash and for shells that can load bash completions. */
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

const paths = (root: CommandNode): ReadonlyArray<string> =>
  allNodes(root)
    .slice(1)
    .map(({ path }) => `'${path}'`)

/** bash splits `--mode=F` into three words, zsh does not. */
const aroundEquals = [
  '  [[ "$cur" == "=" ]] && cur=',
  '  [[ "$prev" == "=" ]] && prev="${COMP_WORDS[COMP_CWORD-2]}"',
  '  [[ "$cur" == --*=* ]] && prev="${cur%%=*}" && front="$prev=" && cur="${cur#*=}"'
]

const bash = (root: CommandNode): ReadonlyArray<string> => {
  const nodes = allNodes(root)
  return [
    "_sibyl() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" node=sibyl front= words= i',
    "  for ((i = 1; i < COMP_CWORD; i++)); do",
    '    case "$node ${COMP_WORDS[i]}" in',
    `      ${paths(root).join("|")}) node="$node \${COMP_WORDS[i]}" ;;`,
    "    esac",
    "  done",
    ...aroundEquals,
    '  case "$node" in',
    ...nodes.map((node) => `    '${node.path}') words=${wordsOf(node)} ;;`),
    "  esac",
    '  case "$prev" in',
    ...valueCases([...everywhere.values(), ...nodes.flatMap(({ options }) => [...options.values()])]),
    "  esac",
    // If nothing fits, the shell completes file names.
    '  COMPREPLY=($(compgen -P "$front" -W "$words" -- "$cur"))',
    "}",
    "complete -o default -F _sibyl sibyl"
  ]
}

/** Makes zsh load bash completions; without a configuration its own completion system is off. */
const zshFirst = ["(( $+functions[compdef] )) || { autoload -U +X compinit && compinit }", "autoload -U +X bashcompinit && bashcompinit"]

const fishOption = ({ name, takes }: Part): string => {
  const words = typeof takes === "string" ? "" : ` -fa '${takes.join(" ")}'`
  return `${name.startsWith("--") ? "-l" : "-s"} ${name.replace(/^--?/, "")}${takes === "nothing" ? "" : " -r"}${words}`
}

const fish = (root: CommandNode): ReadonlyArray<string> => [
  "function __sibyl_command",
  "  set -l command sibyl",
  "  for word in (commandline -opc)[2..-1]",
  `    contains -- "$command $word" ${paths(root).join(" ")}; and set command "$command $word"`,
  "  end",
  "  echo $command",
  "end",
  ...[...everywhere.values()].map((part) => `complete -c sibyl ${fishOption(part)}`),
  ...allNodes(root).flatMap(({ below, options, path }) => {
    const here = `complete -c sibyl -n 'test (__sibyl_command) = "${path}"'`
    return [
      ...[...below.keys()].map((name) => `${here} -f -a ${name}`),
      ...[...options.values()].map((part) => `${here} ${fishOption(part)}`)
    ]
  })
]

/** The script for one of the {@link shells}, to be read by the shell: `source <(sibyl --completions bash)`. */
export const completionScript = (root: CommandNode, shell: (typeof shells)[number]): string => {
  const lines = shell === "fish" ? fish(root) : [...(shell === "zsh" ? zshFirst : []), ...bash(root)]
  return `${lines.join("\n")}\n`
}

/** The shell whose completion script is asked for. */
export const askedShell = (words: ReadonlyArray<string>): (typeof shells)[number] | undefined => {
  const at = words.findIndex((word) => /^--completions(?:=|$)/.test(word))
  const name = words[at]?.includes("=") === true ? words[at].slice("--completions=".length) : words[at + 1]
  return at < 0 ? undefined : shells.find((shell) => shell === name)
}
