/** Why a cluster cannot be joined, as a command says it. */
import { CommandFailed, InvalidConfiguration } from "./failure.ts"

const tagOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "_tag" in cause && typeof cause._tag === "string" ? cause._tag : ""

/** The failure that an error of the connection to NATS means; `undefined` if it is another error. */
export const clusterFailure = (cause: unknown): CommandFailed | InvalidConfiguration | undefined => {
  if (!(cause instanceof Error)) return undefined
  const tag = tagOf(cause)
  if (tag === "NatsMisconfigured") {
    const field = `cluster.${"field" in cause ? String(cause.field) : ""}`
    return new InvalidConfiguration({ field, rule: "a way to NATS", message: `cluster.${cause.message}` })
  }
  return tag.startsWith("Nats") ? new CommandFailed({ message: cause.message }) : undefined
}
