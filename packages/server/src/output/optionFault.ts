/** What only the service checks of a configuration, as the configuration's fault. */
import { InvalidOption } from "@sibyl/core"
import { InvalidConfiguration } from "./failure.ts"

/** Absent if it is something else. Options have the names of their settings. */
export const optionFault = (cause: unknown): InvalidConfiguration | undefined =>
  cause instanceof InvalidOption ? new InvalidConfiguration({ field: cause.option, rule: cause.rule, message: cause.message }) : undefined
