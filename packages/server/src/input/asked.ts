/** The values of options and arguments, read by their rules; a refusal names the option, the rule and the value. */
import { Either, type Option } from "effect"
import { UsageError } from "../output/failure.ts"

/** A value, or why the command line is refused. */
export type Asked<A> = Either.Either<A, UsageError>

/** Refuses what was given for `field`. */
export const refusedValue = (field: string, rule: string, given: string): UsageError =>
  new UsageError({ field, rule, message: `${field} must be ${rule}, not "${given}"` })

/** Reads `text` by `read`; `rule` completes "must be". */
export const asked = <A>(
  field: string,
  rule: string,
  text: string,
  read: (text: string) => Option.Option<A>
): Asked<A> =>
  Either.fromOption(read(text), () => refusedValue(field, rule, text))
