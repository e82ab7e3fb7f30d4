/** Nothing that arrives on a connection ends the server or mixes up its answers: thousands of connections, chosen by a seed. */
import { mkdtemp, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { soakCount } from "@sibyl/testing/soak"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { chosenSeed } from "../../crash/testdata/seededRandom.ts"
import { type RuntimeName, StartedServer } from "../../testdata/startedServer.ts"
import { playScript } from "./testdata/playScript.ts"
import { wireScript, type WireScript } from "./testdata/wireScript.ts"

const runtimes: ReadonlyArray<RuntimeName> = ["node", "bun"]

/** What once ended a server is played by itself, too (`twoOffers`). */
const connections = soakCount({ everyday: 600, full: 5_000 })
const atOnce = 64

const offer = "GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: Upgrade\r\nupgrade: h2c\r\n\r\n"

/** What once ended a Node server: a connection was given to a second parser while a response was under way on it. */
const twoOffers: WireScript = {
  seed: 0,
  writes: [
    { text: offer + offer, pauseMs: 0 },
    { text: "GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n", pauseMs: 300 }
  ],
  due: [200, 200, 200].map((status) => ({ status, isHead: false })),
  certain: 1,
  leaving: "whenAnswered"
}

/** Plays the scripts of `count` seeds from `first` on; answers what was wrong, with the seed. */
const fuzz = async (port: number, authorization: string, first: number): Promise<ReadonlyArray<string>> => {
  const violations: Array<string> = []
  let next = 0
  const play = async (): Promise<void> => {
    while (next < connections && violations.length < 10) {
      const script = wireScript(first + next++, authorization)
      const violation = await playScript(port, script)
      if (violation !== undefined) violations.push(`seed ${script.seed}: ${violation}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, play))
  return violations
}

describe.each(runtimes)("connections of every kind, to sibyl serve on %s", (runtime) => {
  let folder: string
  let server: StartedServer
  let url: string
  let authorization: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-wire-"))
    server = new StartedServer(runtime, ["serve", "--demo", "--port", "0", "--set", "logLevel=warn"], folder)
    await server.until(/Ctrl-C stops the server/)
    ;[url = ""] = await server.until(/http:\/\/127\.0\.0\.1:[0-9]+/)
    ;[authorization = ""] = await server.until(/Authorization: Bearer [^"' ]+/)
  })
  afterAll(async () => {
    await server.stop("SIGKILL")
    await rm(folder, { recursive: true, force: true })
  })

  test("two pipelined upgrade requests for another protocol and a plain request do no harm", async () => {
    const port = Number(new URL(url).port)
    expect(await Promise.all(Array.from({ length: 10 }, () => playScript(port, twoOffers)))).toEqual(Array(10).fill(undefined))
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  test("a key behind thousands of other headers is read, or the head is refused as too large", async () => {
    const many = "a:b\r\n".repeat(2_100)
    const socket = connect(Number(new URL(url).port), "127.0.0.1")
    socket.end(`GET /verify HTTP/1.1\r\nhost: 127.0.0.1\r\n${many}${authorization}\r\nconnection: close\r\n\r\n`)
    const [head = ""] = (await text(socket)).split("\r\n", 1)
    expect(head).toMatch(runtime === "node" ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 (?:200|431) /)
  })

  test("the server survives, logs no fault, and answers in order", { timeout: 300_000 }, async () => {
    const before = server.output
    const seed = chosenSeed()
    const violations = await fuzz(Number(new URL(url).port), authorization, seed)
    expect(violations, `SIBYL_SEED=${seed}\n${server.output.slice(before.length)}`).toEqual([])
    expect(server.output.slice(before.length)).toBe("")
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })
})
