/** The failures of commands: one line for people, one JSON document for scripts, and the exit code. */
import { Data } from "effect"
import { jsonDocument } from "./jsonDocument.ts"
import { type Paint, withoutColours } from "./paint.ts"
import { printable } from "./printable.ts"
import { withoutSecrets } from "./withoutSecrets.ts"

/** The exit codes of `sibyl`: success; refused or failed; invalid command line or configuration; interrupted, as a shell has it of Ctrl-C. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const

/** The command line is invalid: an unknown, superfluous, missing or invalid word. */
export class UsageError extends Data.TaggedError("UsageError")<{
  readonly message: string
  /** The option or argument and its rule, if the error is about one. */
  readonly field?: string
  readonly rule?: string
}> {}

/** A setting has an invalid value, or there is no such setting. */
export class InvalidConfiguration extends Data.TaggedError("InvalidConfiguration")<{
  /** The name under which the setting was given. */
  readonly field: string
  /** Its rule. */
  readonly rule: string
  readonly message: string
}> {}

/** The command was understood and could not be carried out. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{ readonly message: string }> {}

/** The content of a failure: its tag, its text and its other plain data. */
export interface FailureContent {
  readonly _tag: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

const tagOf = (error: Error): string => ("_tag" in error && typeof error._tag === "string" ? error._tag : error.name)

const hidden = new Set(["_tag", "message", "name", "stack", "cause"])

/** Reads an expected error. */
export const failureContent = (error: Error): FailureContent => ({
  _tag: tagOf(error),
  message: printable(withoutColours(error.message).replaceAll(/\s*\n\s*/g, " ")),
  details: Object.fromEntries(
    Object.entries(error)
      .filter(([name]) => !hidden.has(name))
      .map(([name, value]) => [name, typeof value === "string" ? withoutColours(value) : (value as unknown)])
  )
})

/** The failure as printed on stderr. */
export const failureText = ({ _tag, details, message }: FailureContent, json: boolean, paint: Paint): string =>
  withoutSecrets(json ? jsonDocument({ _tag, error: message, message, ...details }) : `${paint("red", "sibyl:")} ${message}`)

const usageTags = new Set(["UsageError", "InvalidConfiguration", "InvalidSetting"])

/** The exit code that belongs to an expected error. */
export const exitCodeOf = (error: Error): number => (usageTags.has(tagOf(error)) ? exitCodes.usage : exitCodes.failed)
