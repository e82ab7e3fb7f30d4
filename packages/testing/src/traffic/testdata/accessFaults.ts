/** Faults of keys, statuses and what never changes. */
import { Directory } from "@sibyl/core"
import { Context, Effect, Redacted } from "effect"
import { ports, seam, type SeededFault } from "./seededFault.ts"
import { everyNth, onAnswer, onSocket } from "./tamper.ts"

/** All of them. */
export const accessFaults: ReadonlyArray<SeededFault> = [
  ports("a revoked key still works", ["outcome", "keys"], () => (ports) => {
    const directory = Context.get(ports, Directory)
    const known = new Map<unknown, unknown>()
    // What was found once is found for ever.
    const remember =
      (find: (...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>) =>
      (...args: ReadonlyArray<never>) => {
        const name = JSON.stringify(args, (_, value: unknown) =>
          typeof value === "bigint" ? String(value) : Redacted.isRedacted(value) ? Redacted.value(value) : value
        )
        return Effect.flatMap(Effect.exit(find(...args)), (exit) => {
          if (exit._tag === "Success") known.set(name, exit.value)
          const before = known.get(name)
          return before === undefined ? exit : Effect.succeed(before)
        })
      }
    const faulty = Object.fromEntries(
      Object.entries(directory).map(([name, member]: readonly [string, unknown]) => [
        name,
        typeof member === "function" ? remember(member as never) : member
      ])
    )
    return Context.add(ports, Directory, faulty as unknown as Directory["Type"])
  }),
  seam("connections of a revoked key stay open", ["keys"], () => onSocket(() => ({ ignoresClose: true }))),
  seam("a status that nobody documented", ["shape", "outcome"], () =>
    onAnswer((json, _request, response) => ({
      ...response,
      status: response.status === 404 ? 410 : response.status,
      body: JSON.stringify(json)
    }))
  ),
  seam("an internal error now and then", ["outcome", "shape"], () => {
    const isBroken = everyNth(9)
    return onAnswer((_json, _request, response) => {
      if (!isBroken()) return undefined
      const error = { _tag: "InternalError", error: "broken", message: "broken", requestId: response.headers["x-request-id"] }
      return { ...response, status: 500, body: JSON.stringify(error) }
    })
  }),
  seam("401 without WWW-Authenticate", ["shape"], () =>
    onAnswer((json, _request, response) => {
      const { ["www-authenticate"]: _absent, ...headers } = response.headers
      return {
        ...response,
        headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== "www-authenticate")),
        body: JSON.stringify(json)
      }
    })
  ),
  seam("another public key at every start", ["facts", "identity"], () => {
    let asked = 0
    return onAnswer((json) => {
      if (typeof json["publicKey"] === "string" && "serverVersion" in json) {
        asked += 1
        if (asked > 2) json["publicKey"] = json["publicKey"].replace(/.$/, (digit) => (digit === "0" ? "1" : "0"))
      }
    })
  })
]
