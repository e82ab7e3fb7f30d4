/** Whether a server could listen on its configured address. */
import { createServer } from "node:net"
import { HealthRecord } from "@sibyl/core"
import { Effect, Option, Schema } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { cannotListen, originOf } from "../serve/listen/listening.ts"
import { type Finding, finding, orFailed } from "./finding.ts"

const check = "port"
const patienceMs = 2_000

type Attempt = { readonly free: true } | { readonly free: false; readonly cause: unknown }

const tryToListen = (host: string, port: number): Effect.Effect<Attempt> =>
  Effect.async((resume) => {
    const server = createServer()
    server.once("error", (cause) => resume(Effect.succeed({ free: false, cause })))
    server.listen(port, host, () => server.close(() => resume(Effect.succeed({ free: true }))))
  })

/** A Sibyl server that already listens there. */
const healthAt = (url: string): Effect.Effect<Option.Option<typeof HealthRecord.Type>> =>
  Effect.tryPromise(async () => {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(patienceMs) })
    return Schema.decodeUnknownSync(HealthRecord)(await response.json())
  }).pipe(Effect.option)

/** Whether the port is free, or a Sibyl server already listens there. */
export const examinePort = (configuration: Configuration): Effect.Effect<Finding> => {
  const { host, port } = configuration
  const url = originOf(configuration)
  return Effect.gen(function* () {
    const attempt = yield* tryToListen(host, port)
    if (attempt.free) return finding(check, "ok", port === 0 ? "any free one" : `${host}:${port} is free`)
    const health = port === 0 ? Option.none() : yield* healthAt(url)
    return Option.match(health, {
      onSome: ({ status }) => finding(check, "ok", `a Sibyl serves at ${url}; it is ${status}`),
      onNone: () => finding(check, "failed", cannotListen(configuration, attempt.cause).message)
    })
  }).pipe((effect) => orFailed(check, effect))
}
