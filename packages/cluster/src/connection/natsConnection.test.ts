/** The connection over a real server: delivery, silence, restarts, credentials. */
import { freePort } from "@sibyl/testing"
import { Context, Effect, Either, Layer, Redacted, type Scope } from "effect"
import { once } from "node:events"
import { createConnection } from "node:net"
import { expect, it } from "vitest"
import { describeNats, startNats } from "../testdata/natsServer.ts"
import { eventually } from "../testdata/eventually.ts"
import { saidAtTheDoor } from "./saidAtTheDoor.ts"
import { NatsConnection } from "./natsConnection.ts"
import type { NatsOptions } from "./natsOptions.ts"

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> => Effect.runPromise(Effect.scoped(effect))

const connectTo = (options: NatsOptions) =>
  Effect.map(Layer.build(NatsConnection.layer(options)), (context) => Context.get(context, NatsConnection))

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = ({ data }: { readonly data: Uint8Array }): string => new TextDecoder().decode(data)

const listening = (connection: Context.Tag.Service<NatsConnection>, subject: string, heard: Array<string>, queue?: string) =>
  Effect.zipRight(
    connection.subscribe(subject, (message) => heard.push(textOf(message)), queue),
    connection.flushed
  )

/** How many servers the first line of one names. */
const namedBy = async (port: number): Promise<number> => {
  const socket = createConnection(port, "127.0.0.1")
  const [line] = (await once(socket, "data")) as [Buffer]
  socket.destroy()
  const { connect_urls: urls = [] } = JSON.parse(String(line).slice("INFO ".length)) as { connect_urls?: ReadonlyArray<string> }
  return urls.length
}

describeNats("a connection", () => {
  it("delivers to every listener, and to one of a queue group", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats()
        const [one, two] = [yield* connectTo({ servers: [url] }), yield* connectTo({ servers: [url] })]
        const all: Array<string> = []
        const group: Array<string> = []
        for (const connection of [one, two]) {
          yield* listening(connection, "a.*", all)
          yield* listening(connection, "b", group, "members")
        }
        for (const text of ["1", "2"]) for (const subject of ["a.x", "b"]) one.publish(subject, bytes(text))
        yield* eventually(() => all.length >= 4 && group.length >= 2)
        expect([all.toSorted(), group.toSorted()]).toEqual([
          ["1", "1", "2", "2"],
          ["1", "2"]
        ])
      })
    ))

  it("says why a request has no answer, and sends nothing that does not fit", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats({ maxPayloadBytes: 65_536 })
        const connection = yield* connectTo({ servers: [url] })
        yield* listening(connection, "silent", [])
        yield* connection.subscribe("echo", ({ data, reply }) => void connection.publish(reply ?? "", data))
        yield* connection.flushed
        expect(textOf(yield* connection.request("echo", bytes("hello"), 5_000))).toBe("hello")
        expect((yield* Effect.flip(connection.request("nobody", bytes(""), 5_000))).why).toBe("nobody")
        expect((yield* Effect.flip(connection.request("silent", bytes(""), 50))).why).toBe("late")
        expect(connection.server()).toEqual({ version: expect.stringMatching(/^2\./), maxPayloadBytes: 65_536 })
        expect(connection.publish("echo", new Uint8Array(65_537))).toBe(false)
      })
    ))

  it("goes on after a listener that throws, and after the server has been away", () =>
    run(
      Effect.gen(function* () {
        const server = yield* startNats()
        const connection = yield* connectTo({ servers: [server.url] })
        const heard: Array<string> = []
        yield* connection.subscribe("a", () => {
          throw new Error("a fault")
        })
        yield* listening(connection, "a", heard)
        connection.publish("a", bytes("1"))
        yield* eventually(() => heard.length === 1)
        yield* server.stop
        yield* eventually(() => !connection.isConnected())
        expect(connection.publish("a", bytes("lost"))).toBe(false)
        expect((yield* Effect.flip(connection.request("a", bytes(""), 5_000))).why).toBe("disconnected")
        yield* server.start
        yield* eventually(() => connection.isConnected())
        connection.publish("a", bytes("2"))
        yield* eventually(() => heard.length === 2)
        expect(heard).toEqual(["1", "2"])
      })
    ))

  it("waits for a server that starts later, and is refused at once by one that does not know us", () =>
    run(
      Effect.gen(function* () {
        const server = yield* startNats({ configuration: "authorization { user: u, password: right }" })
        const options = { servers: [server.url], user: "u" }
        yield* server.stop
        yield* Effect.forkScoped(Effect.delay(server.start, 300))
        expect((yield* connectTo({ ...options, password: Redacted.make("right") })).isConnected()).toBe(true)
        const refused = yield* Effect.flip(connectTo({ ...options, password: Redacted.make("wr0ng") }))
        expect(refused._tag).toBe("NatsRefused")
        expect(JSON.stringify(refused)).not.toContain("wr0ng")
        yield* server.stop
        const absent = yield* Effect.either(connectTo({ ...options, firstConnectMs: 300 }))
        expect(Either.isLeft(absent) ? absent.left._tag : "").toBe("NatsUnreachable")
      })
    ))

  it("tells why a server takes no connection", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats({ configuration: "max_connections: 1" })
        yield* connectTo({ servers: [url] })
        const turnedAway = yield* Effect.flip(connectTo({ servers: [url], firstConnectMs: 300 }))
        expect(turnedAway).toMatchObject({
          _tag: "NatsUnreachable",
          message: expect.stringMatching(/takes no connection: maximum connections/)
        })
        // One that lets us in says nothing of that.
        const { port } = yield* startNats()
        expect(yield* saidAtTheDoor(`127.0.0.1:${port}`)).toBeUndefined()
      })
    ))

  it("is refused at once by servers that name each other, and finds the one that it was not told of later", () =>
    run(
      Effect.gen(function* () {
        const routes = yield* Effect.promise(freePort)
        const users = "authorization { user: u, password: right }"
        const named = yield* startNats({ configuration: `${users}\ncluster { name: c, listen: "127.0.0.1:${routes}" }` })
        const joining = `routes: ["nats://127.0.0.1:${routes}"]`
        const another = `${users}\ncluster { name: c, listen: "127.0.0.1:-1", ${joining} }`
        yield* startNats({ configuration: another, maxPayloadBytes: 65_536 })
        while ((yield* Effect.promise(() => namedBy(named.port))) < 2) yield* Effect.sleep(20)
        const options = { servers: [named.url], user: "u" }
        const connection = yield* connectTo({ ...options, password: Redacted.make("right") })
        const refused = yield* Effect.flip(connectTo({ ...options, password: Redacted.make("wr0ng") }))
        expect(refused._tag).toBe("NatsRefused")
        expect(connection.server().maxPayloadBytes).not.toBe(65_536)
        yield* named.stop
        // The other one may have it back before anybody could see that it was away.
        yield* eventually(() => connection.isConnected() && connection.server().maxPayloadBytes === 65_536)
        yield* connection.flushed
      })
    ))
})
