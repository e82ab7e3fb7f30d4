/** Listens on Bun with its own server. */
import { serve } from "@sibyl/adapter-bun"
import { Effect } from "effect"
import { cannotListen, type Listen, originOf } from "./listening.ts"

/** Serves on Bun. */
export const listenBun: Listen = (service, address) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const { edges, host: hostname, port, prefix } = address
        return serve({ service, port, hostname, prefix, reusePort: edges > 1 })
      },
      catch: (cause) => cannotListen(address, cause)
    }),
    (server) => Effect.promise(() => server.stop())
  ).pipe(
    Effect.map((server) => ({
      url: originOf({ ...address, port: server.port ?? address.port }),
      runtime: `Bun ${Bun.version}`
    }))
  )
