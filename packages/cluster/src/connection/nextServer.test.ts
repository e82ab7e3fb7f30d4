/** Which server of a cluster is tried next: not the one that was just lost. */
import { freePort } from "@sibyl/testing"
import type { Server } from "@nats-io/transport-node"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { eventually } from "../testdata/eventually.ts"
import { freezingWay } from "../testdata/freezingWay.ts"
import { describeNats, startNats } from "../testdata/natsServer.ts"
import { checkedNatsOptions } from "./checkedNatsOptions.ts"
import { firstConnection } from "./firstConnection.ts"
import { nextServer } from "./nextServer.ts"

const server = (listen: string, lastConnect: number): Server => ({
  hostname: listen,
  port: 4222,
  listen,
  src: listen,
  tlsName: listen,
  reconnects: 0,
  lastConnect,
  gossiped: false,
  didConnect: false
})

it("is the one whose last try is longest ago, and among equals the first", () => {
  expect(nextServer([server("lost", 9), server("tried", 5), server("new", 0), server("newer", 0)])?.listen).toBe("new")
  expect(nextServer([server("one", 0), server("other", 0)])?.listen).toBe("one")
  expect(nextServer([server("alone", 9)])?.listen).toBe("alone")
  expect(nextServer([])).toBeNull()
})

describeNats("a server of a cluster that falls silent", () => {
  it("is not asked again before the others: its clients are at another one without having waited for it", () =>
    Effect.gen(function* () {
      const way = yield* freezingWay
      const routes = yield* Effect.promise(freePort)
      const advertised = `client_advertise: "127.0.0.1:${way.port}"`
      const silent = yield* startNats({ configuration: `${advertised}\ncluster { name: c, listen: "127.0.0.1:${routes}" }` })
      way.leadTo(silent.port)
      const joining = `cluster { name: c, listen: "127.0.0.1:-1", routes: ["nats://127.0.0.1:${routes}"] }`
      yield* startNats({ configuration: joining, maxPayloadBytes: 65_536 })
      const client = yield* firstConnection(yield* checkedNatsOptions({ servers: [`nats://127.0.0.1:${way.port}`] }))
      yield* eventually(() => (client.info?.connect_urls ?? []).length === 2)
      expect(client.info?.max_payload).not.toBe(65_536)
      way.freeze()
      yield* eventually(() => client.info?.max_payload === 65_536)
      yield* Effect.promise(() => client.flush())
      expect(way.tries()).toBe(1)
    }).pipe(Effect.scoped, Effect.runPromise))
})
