/** A program's arguments and environment as it will read them, and their cost (docs/PROGRAMS.md). */
import type { Phase } from "@sibyl/core"
import { memoized } from "@sibyl/core/internal"
import { callPrice, gasPerByte } from "./hostPrices.ts"

/** Arguments and environment of one program, in their final form and order. */
export interface ProgramEnvironment {
  /** The arguments, preceded by the program's name. */
  readonly argv: ReadonlyArray<string>
  /** `KEY=VALUE`. */
  readonly environ: ReadonlyArray<string>
  /** What `args_*` calls are charged for: lengths with terminators, without the program's name. */
  readonly chargedArgsLength: number
  /** What `environ_*` calls are charged for. */
  readonly chargedEnvironLength: number
  /** The gas charged before the first operator. */
  readonly startupGas: bigint
}

const programName = "_start"
const encoder = new TextEncoder()

/** Whether UTF-8 and UTF-16 are the same units, in the same order, as in nearly all environments. */
const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return false
  return true
}

/** In the order of their UTF-8 bytes, which is that of their code points. */
const compareBytes = (left: string, right: string): number => {
  if (isAscii(left) && isAscii(right)) return left < right ? -1 : left > right ? 1 : 0
  return Buffer.compare(encoder.encode(left), encoder.encode(right))
}

/** Tally strings pass through C strings, so a zero ends them. */
const upToZero = (text: string): string => {
  const zero = text.indexOf("\0")
  return zero < 0 ? text : text.slice(0, zero)
}

/** Each key once, with its last value, at its first position. */
const distinct = (envs: ReadonlyArray<readonly [string, string]>): ReadonlyArray<readonly [string, string]> => [...new Map(envs)]

const sum = (texts: ReadonlyArray<string>, lengthOf: (text: string) => number): number =>
  texts.reduce((total, text) => total + lengthOf(text), 0)

/** UTF-8 bytes in tally, UTF-16 units in execution. */
const lengthIn = (phase: Phase): ((text: string) => number) =>
  phase === "tally" ? (text) => Buffer.byteLength(text) : (text) => text.length

/** The variables of a phase, which may be one object for many passes. */
type Variables = ReadonlyArray<readonly [key: string, value: string]>

const makeEnvironment = (phase: Phase, args: ReadonlyArray<string>, envs: Variables): ProgramEnvironment => {
  const clean = phase === "tally" ? upToZero : (text: string): string => text
  const given = args.map(clean)
  const pairs = distinct(envs.map(([key, value]) => [key, clean(value)] as const))
  const ordered = phase === "tally" ? pairs.toSorted(([left], [right]) => compareBytes(left, right)) : pairs
  const lengthOf = lengthIn(phase)
  const argsLength = sum(given, lengthOf)
  return {
    argv: [programName, ...given],
    environ: ordered.map(([key, value]) => `${key}=${value}`),
    chargedArgsLength: argsLength + given.length,
    chargedEnvironLength: ordered.reduce((total, [key, value]) => total + lengthOf(key) + lengthOf(value) + 2, 0),
    startupGas: callPrice.startup + gasPerByte * BigInt(argsLength)
  }
}

/** That of an execution phase, made once for passes that are given the same; the variables of a tally contain its reveals. */
const execEnvironment = memoized(
  (envs: Variables, args: ReadonlyArray<string>) => ({ args, environment: makeEnvironment("exec", args, envs) }),
  (known, args) => known.args === args
)

/** Arguments and environment as the phase passes them: tally sorts by the keys' bytes, execution keeps the order. */
export const programEnvironment = (phase: Phase, args: ReadonlyArray<string>, envs: Variables): ProgramEnvironment =>
  phase === "tally" ? makeEnvironment(phase, args, envs) : execEnvironment(envs, args).environment
