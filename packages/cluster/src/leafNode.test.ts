/** Executors behind a leaf node of the edges' NATS: they are heard of, get runs, and are asked and answered across both servers. */
import { freePort } from "@sibyl/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { fetching, openExecutor, ready, requestFor, run } from "./testdata/inProcess.ts"
import { describeNats, startNats } from "./testdata/natsServer.ts"
import { openEdge } from "./testdata/remoteEdge.ts"

/** A server with a port for leaf nodes. Another process may take the port in between: then with another one. */
const startHub = Effect.flatMap(Effect.promise(freePort), (leafPort) =>
  Effect.map(startNats({ configuration: `leafnodes { host: "127.0.0.1", port: ${leafPort} }` }), (hub) => ({ hub, leafPort }))
).pipe(Effect.sandbox, Effect.retry({ times: 4 }), Effect.orDie)

describeNats("executors on a leaf node", () => {
  it("serve the edges of the hub, also after the leaf was away", () =>
    run(
      Effect.gen(function* () {
        const { hub, leafPort } = yield* startHub
        const remote = `leafnodes { reconnect: 1, remotes = [ { url: "nats://127.0.0.1:${leafPort}" } ] }`
        const leaf = yield* startNats({ configuration: remote })
        yield* openExecutor(leaf.url)
        const edge = yield* openEdge(hub.url)
        yield* ready(edge)
        const runs = Effect.forEach([0, 1, 3], (calls) => edge.run(requestFor(fetching(calls))))
        expect((yield* runs).map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
        yield* leaf.stop
        yield* leaf.start
        expect((yield* runs).map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
      })
    ))
})
