/** How a command fails: in one line for people, as one JSON document for scripts, and with which exit code. */
import { Data } from "effect"
import { jsonDocument } from "./jsonDocument.ts"
import { type Paint, withoutColours } from "./paint.ts"
import { withoutKeys } from "./withoutKeys.ts"

/** The exit codes of `sibyl`: done; refused or failed; the command line or the configuration breaks a rule. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const

/** The command line is not understood: an unknown word, one too many, one that is missing, or one against its rule. */
export class UsageError extends Data.TaggedError("UsageError")<{
  readonly message: string
  /** The option or argument, and what it has to be, where it is about one. */
  readonly field?: string
  readonly rule?: string
}> {}

/** A setting has a value that its rule does not allow, or there is no such setting. */
export class InvalidConfiguration extends Data.TaggedError("InvalidConfiguration")<{
  /** The setting, by the name under which it was given. */
  readonly field: string
  /** What it has to be. */
  readonly rule: string
  readonly message: string
}> {}

/** The command was understood and could not be carried out. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{ readonly message: string }> {}

/** What a failure tells: its tag and text, and whatever else is plain data in it. */
export interface Told {
  readonly _tag: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

const tagOf = (error: Error): string => ("_tag" in error && typeof error._tag === "string" ? error._tag : error.name)

const hidden = new Set(["_tag", "message", "name", "stack", "cause"])

/** Reads an expected error. */
export const tellingOf = (error: Error): Told => ({
  _tag: tagOf(error),
  message: withoutColours(error.message).replaceAll(/\s*\n\s*/g, " "),
  details: Object.fromEntries(
    Object.entries(error)
      .filter(([name]) => !hidden.has(name))
      .map(([name, value]) => [name, typeof value === "string" ? withoutColours(value) : (value as unknown)])
  )
})

/** The failure as it stands on stderr. */
export const failureText = ({ _tag, details, message }: Told, json: boolean, paint: Paint): string =>
  withoutKeys(json ? jsonDocument({ _tag, error: message, message, ...details }) : `${paint("red", "sibyl:")} ${message}`)

const usageTags = new Set(["UsageError", "InvalidConfiguration", "InvalidSetting"])

/** The exit code that belongs to an expected error. */
export const exitCodeOf = (error: Error): number => (usageTags.has(tagOf(error)) ? exitCodes.usage : exitCodes.failed)
