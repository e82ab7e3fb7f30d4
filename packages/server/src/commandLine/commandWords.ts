/** Finds the command of a command line, and checks the words after its name. */
import { didYouMean } from "@sibyl/core/internal"
import { Either } from "effect"
import { type CommandNode, everywhere, type Part } from "./commandTree.ts"
import { UsageError } from "../output/failure.ts"

/** The command, and the words after its name. */
export interface MeantCommand {
  readonly node: CommandNode
  readonly rest: ReadonlyArray<string>
}

type Refused = Either.Either<never, UsageError>

const refused = (message: string, field?: string, rule?: string): Refused =>
  Either.left(new UsageError({ message, ...(field === undefined ? {} : { field }), ...(rule === undefined ? {} : { rule }) }))

const against = (field: string, rule: string, given: string): Refused => refused(`${field} must be ${rule}, not "${given}"`, field, rule)

/** The usage of a command in one line. */
export const usageOf = ({ args, options, path }: CommandNode): string =>
  [
    path,
    ...[...options.values()].filter(({ required }) => required).map(({ name, placeholder }) => `${name} ${placeholder}`),
    "[options]",
    ...args.map(({ name, required }) => (required ? name : `[${name}]`))
  ].join(" ")

const words = (choices: ReadonlyArray<string>): string => `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`

const checkValue = ({ name, repeated, takes }: Part, value: string): Either.Either<void, UsageError> => {
  // The library leaves it out, so that `--allow "$PROGRAM"` of an unset variable allowed every program.
  if (repeated && value === "") return refused(`${name} wants a value, not an empty one`, name, "given")
  if (takes === "whole number") {
    if (/^\d+\p{L}+$/u.test(value)) return against(name, "a whole number without a unit (--help says in which it is)", value)
    if (!/^-?\d+$/.test(value)) return against(name, "a whole number", value)
    return /^-?\d{1,15}$/.test(value) ? Either.void : against(name, "a whole number of at most 15 digits", value)
  }
  if (typeof takes === "string" || takes.includes(value)) return Either.void
  return against(name, words(takes), value)
}

/** The given options, and the other words; and all words in an order that the library understands. */
interface Said {
  readonly options: ReadonlySet<string>
  readonly args: ReadonlyArray<string>
  readonly inOrder: ReadonlyArray<string>
}

/** The words of an option and its value, the first of which is `given[0]`. A flag gets one, or the library takes a `1` or `no` that follows. */
const optionWords = (part: Part, given: ReadonlyArray<string>): Either.Either<ReadonlyArray<string>, UsageError> => {
  const [word = "", next] = given
  const own = word.includes("=")
  if (part.takes === "nothing") {
    if (own) return refused(`${part.name} takes no value`)
    return Either.right(everywhere.has(word) ? [word] : [`${word}=true`])
  }
  const value = own ? word.slice(part.name.length + 1) : next
  if (value === undefined) return refused(`${part.name} wants a value`)
  // The library does not know the form `--inputs=`.
  return Either.map(checkValue(part, value), () => (own && value !== "" ? [word] : [part.name, value]))
}

/** The name that a value such as `NAME=VALUE` is given, for options which take one value for each name. */
const namedBy = ({ name, placeholder }: Part, value: string): string => {
  const at = value.indexOf("=")
  return placeholder.includes("=") && at > 0 ? `${name} ${value.slice(0, at)}` : ""
}

const saidIn = ({ options, path }: CommandNode, given: ReadonlyArray<string>): Either.Either<Said, UsageError> => {
  const seen = new Set<string>()
  const args: Array<string> = []
  const ofOptions: Array<string> = []
  const inOrder: Array<string> = []
  const known = new Map([...everywhere, ...options])
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? ""
    if (word === "--") {
      const after = given.slice(at)
      return Either.right({ options: seen, args: [...args, ...after.slice(1)], inOrder: [...inOrder, ...after] })
    }
    if (!/^--?[A-Za-z]/.test(word)) {
      args.push(word)
      inOrder.push(word)
      continue
    }
    const [name = ""] = word.split("=", 1)
    const part = known.get(name)
    if (part === undefined) return refused(`${path} has no option ${name}${didYouMean(name, known.keys())}`)
    if (seen.has(name) && !part.repeated) return refused(`${name} is given twice`)
    seen.add(name)
    const said = optionWords(part, given.slice(at))
    if (Either.isLeft(said)) return Either.left(said.left)
    const named = namedBy(part, said.right[1] ?? word.slice(name.length + 1))
    if (named !== "" && seen.has(named)) return refused(`${named} is given twice`)
    seen.add(named)
    ofOptions.push(...said.right)
    inOrder.push(...said.right)
    if (!word.includes("=")) at += said.right.length - 1
  }
  // After an argument such as `-`, which stands for the standard input, the library finds no option: there the options come first.
  return Either.right({ options: seen, args, inOrder: args.some((arg) => arg.startsWith("-")) ? [...ofOptions, ...args] : inOrder })
}

const checkParts = (node: CommandNode, said: Said): Either.Either<void, UsageError> => {
  if (["--help", "-h", "--version", "--completions"].some((name) => said.options.has(name))) return Either.void
  const usage = `usage: ${usageOf(node)}`
  const extra = said.args[node.args.length]
  if (extra !== undefined) return refused(`${node.path} takes no argument "${extra}"; ${usage}`)
  const empty = node.args[said.args.indexOf("")]
  if (empty !== undefined) return refused(`${empty.name} is empty; ${usage}`, empty.name, "given")
  const option = [...node.options.values()].find(({ name, required }) => required && !said.options.has(name))
  const missing = node.args.find(({ required }, at) => required && at >= said.args.length) ?? option
  return missing === undefined ? Either.void : refused(`${missing.name} is missing; ${usage}`, missing.name, "given")
}

const hasBelow = (node: CommandNode, option: string): boolean =>
  [...node.below.values()].some((one) => one.options.has(option) || hasBelow(one, option))

/** Of a group whose command is missing: an empty word, as of an unset variable, or an option of the commands in it. */
const commandWanted = (node: CommandNode, [first]: ReadonlyArray<string>): Refused | undefined => {
  const [option = ""] = first?.split("=", 1) ?? []
  if (node.below.size === 0 || first === undefined || (first !== "" && !hasBelow(node, option))) return undefined
  const where = first === "" ? ", not an empty word" : ` before ${option}`
  return refused(`${node.path} wants a command${where}; there are: ${[...node.below.keys()].join(", ")}`)
}

/** Follows the words from `node` on. Values are checked by the command itself. */
export const checkWords = (node: CommandNode, given: ReadonlyArray<string>): Either.Either<MeantCommand, UsageError> => {
  const [first = "", ...rest] = given
  const next = node.below.get(first)
  if (next !== undefined) return checkWords(next, rest)
  const wanted = commandWanted(node, given)
  if (wanted !== undefined) return wanted
  if (node.below.size === 0 || first === "" || first.startsWith("-")) {
    return Either.flatMap(saidIn(node, given), (said) =>
      Either.map(node.below.size === 0 ? checkParts(node, said) : Either.void, () => ({ node, rest: said.inOrder }))
    )
  }
  const hint = didYouMean(first, node.below.keys())
  const all = hint === "" ? `; there are: ${[...node.below.keys()].join(", ")}` : hint
  return refused(`${node.path} has no command ${first}${all}`)
}
