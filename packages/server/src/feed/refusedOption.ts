/** What a server refuses of a request, told by the option of the command that it came from. */
import { UsageError } from "../output/failure.ts"

/** Which field of a request each option is. */
const optionOf: Readonly<Record<string, string>> = {
  periodicityMs: "--period",
  "execute.execProgramId": "--program",
  "execute.execInputs": "--inputs"
}

/** The wrong use that the server's words `FIELD: must be ...` mean; absent if they are about no value of an option. */
export const refusedOption = (said: string): UsageError | undefined => {
  const [, name = "", rule = ""] = /^([\w.]+): must be (.+)$/s.exec(said) ?? []
  const field = optionOf[name]
  return field === undefined ? undefined : new UsageError({ field, rule, message: `${field} must be ${rule}` })
}
