/** Reads the values of options and arguments; a refusal names the option, its rule and the value. */
import { Either, type Option } from "effect"
import { UsageError } from "../output/failure.ts"

/** A value, or why the command line is refused. */
export type Asked<A> = Either.Either<A, UsageError>

/** Refuses the value of `field`; a possible secret is not repeated. */
export const refusedValue = (field: string, rule: string, given: string, hidden?: "hidden"): UsageError =>
  new UsageError({ field, rule, message: `${field} must be ${rule}${hidden === "hidden" ? "" : `, not "${given}"`}` })

/** Reads `text` by `read`; `rule` completes "must be". `hidden`: a refusal does not repeat the text. */
export const asked = <A>(
  field: string,
  rule: string,
  text: string,
  read: (text: string) => Option.Option<A>,
  hidden?: "hidden"
): Asked<A> => Either.fromOption(read(text), () => refusedValue(field, rule, text, hidden))
