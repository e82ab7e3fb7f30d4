/** Finds the command that a command line means; unknown commands and options are told with the nearest right one. */
import { Either } from "effect"
import type { CommandNode } from "./commandTree.ts"
import { didYouMean } from "@sibyl/core"
import { UsageError } from "./output/failure.ts"

/** The command that was meant, and the words behind its name. */
export interface MeantCommand {
  readonly node: CommandNode
  readonly rest: ReadonlyArray<string>
}

const refused = (message: string): Either.Either<never, UsageError> => Either.left(new UsageError({ message }))

const checkOptions = (
  { options, path }: CommandNode,
  words: ReadonlyArray<string>
): Either.Either<void, UsageError> => {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ""
    if (word === "--") break
    if (!/^--?[A-Za-z]/.test(word)) continue
    const [name = ""] = word.split("=", 1)
    const takes = options.get(name)
    if (takes === undefined) return refused(`${path} has no option ${name}${didYouMean(name, options.keys())}`)
    if (takes === "value" && !word.includes("=")) {
      at += 1
      if (at >= words.length) return refused(`${name} wants a value`)
    }
  }
  return Either.void
}

/** Follows the words from `node` on. What only the library knows, such as the number of arguments, is left to it. */
export const checkWords = (
  node: CommandNode,
  words: ReadonlyArray<string>
): Either.Either<MeantCommand, UsageError> => {
  if (node.below.size === 0) return Either.map(checkOptions(node, words), () => ({ node, rest: words }))
  const [first = "", ...rest] = words
  const next = node.below.get(first)
  if (next !== undefined) return checkWords(next, rest)
  if (first === "" || first.startsWith("-")) return Either.right({ node, rest: words })
  const hint = didYouMean(first, node.below.keys())
  const all = hint === "" ? `; there are: ${[...node.below.keys()].join(", ")}` : hint
  return refused(`${node.path} has no command ${first}${all}`)
}
