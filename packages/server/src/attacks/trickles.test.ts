/** Many connections send their heads and bodies a byte at a time: they are cut off, and others are served meanwhile. */
import { connect } from "node:net"
import { soakCount } from "@sibyl/testing/soak"
import { afterEach, expect, test } from "vitest"
import { AttackedServer, worstOf } from "./testdata/attackedServer.ts"
import { expectUnharmed } from "./testdata/expectUnharmed.ts"

let attacked: AttackedServer | undefined

afterEach(() => attacked?.close())

const everyMs = 200
/** Short, so that bodies are cut off while heads are still being sent. */
const bodyMs = 2_000
/** Ten times the server's longest stated bound: Bun accepts an unread body for about 30 s. */
const patienceMs = 300_000

/** What `count` connections send at once, and what they then repeat a byte at a time. */
interface Trickle {
  readonly count: number
  readonly atOnce: string
  readonly slowly: string
}

/** How a connection ended: the first status of an answer, and when it was closed. */
interface Ending {
  readonly status: string
  readonly closedMs: number
}

const requestLine = "POST /execute HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"

/** Connections of each of the three main kinds. */
const many = soakCount({ everyday: 80, full: 333 })
const few = soakCount({ everyday: 10, full: 50 })

const trickles = (key: string): Readonly<Record<string, Trickle>> => {
  const authorized = `${requestLine}authorization: Bearer ${key}\r\n`
  return {
    heads: { count: many, atOnce: "", slowly: `${requestLine}x-slow: ${"a".repeat(10_000)}` },
    "bodies of a stated length": { count: many, atOnce: `${authorized}content-length: 10000\r\n\r\n`, slowly: " " },
    "bodies in chunks": { count: many, atOnce: `${authorized}transfer-encoding: chunked\r\n\r\n`, slowly: "1\r\n \r\n" },
    "unread bodies": { count: few, atOnce: `${requestLine}content-length: 10000\r\n\r\n`, slowly: " " },
    "heads after an answer": { count: few, atOnce: "GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n", slowly: requestLine },
    nothing: { count: few, atOnce: "", slowly: "" }
  }
}

/** Sends until the server closes the connection. Rejects if it does not in time. */
const trickle = (port: number, { atOnce, slowly }: Trickle): Promise<Ending> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const socket = connect({ host: "127.0.0.1", port })
    socket.write(atOnce)
    let received = ""
    let at = 0
    const sending = setInterval(() => {
      if (!socket.writable) return
      socket.write(slowly.charAt(at % slowly.length))
      at += 1
    }, everyMs)
    const giveUp = setTimeout(() => {
      socket.destroy()
      reject(new Error(`after ${patienceMs} ms the connection was still open, answered ${JSON.stringify(received)}`))
    }, patienceMs)
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1")
    })
    // A reset counts as a close.
    socket.on("error", () => {})
    socket.once("close", () => {
      clearInterval(sending)
      clearTimeout(giveUp)
      const status = /^HTTP\/1\.1 ([0-9]{3}) /.exec(received)?.[1] ?? "none"
      resolve({ status, closedMs: performance.now() - startedAt })
    })
  })

/** The statuses that a kind of connection may end with. Node answers 408 to a slow head unless too many wait; Bun does not answer. */
const answers: Readonly<Record<string, ReadonlyArray<string>>> = {
  heads: ["408", "none"],
  "bodies of a stated length": ["408"],
  "bodies in chunks": ["408"],
  "unread bodies": ["401"],
  "heads after an answer": ["200"],
  nothing: ["408", "none"]
}

test(
  `${3 * (many + few)} connections that send a byte at a time`,
  async () => {
    const server = (attacked = await AttackedServer.open([], { limits: { bodyMs } }))
    const port = Number(new URL(server.url).port)
    const said = server.server.process.output
    const endings: Array<readonly [kind: string, ReadonlyArray<Ending>]> = []
    const seen = await server.during(() =>
      Promise.all(
        Object.entries(trickles(server.attacker.key)).map(async ([kind, bytes]) => {
          endings.push([kind, await Promise.all(Array.from({ length: bytes.count }, () => trickle(port, bytes)))])
        })
      )
    )
    for (const [kind, ends] of endings) {
      const statuses = [...new Set(ends.map(({ status }) => status))]
      console.log(
        `${kind}: answered ${statuses.join(", ")}; all closed within ${worstOf(ends.map(({ closedMs }) => closedMs)).toFixed(0)} ms`
      )
      expect(answers[kind], kind).toEqual(expect.arrayContaining(statuses))
    }
    expectUnharmed(`${3 * (many + few)} trickling connections`, seen)
    expect(server.server.process.output).toBe(said)
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  },
  patienceMs + 60_000
)
