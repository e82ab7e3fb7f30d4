/** One tenant's programs fetch large answers, or from upstreams that never answer; another tenant is still served. */
import { createServer, type Server } from "node:http"
import { soakCount } from "@sibyl/testing/soak"
import { assemble } from "@sibyl/testing/wasm"
import { afterEach, expect, test } from "vitest"
import { AttackedServer } from "./testdata/attackedServer.ts"
import { expectUnharmed } from "./testdata/expectUnharmed.ts"
import { actionFor, fetchLoop, portOf } from "./testdata/fetching.ts"

let attacked: AttackedServer | undefined
let upstream: Server | undefined

afterEach(async () => {
  await attacked?.close()
  upstream?.closeAllConnections()
  upstream?.close()
})

const host = "upstream.example"
const action = actionFor(host)

/** Fetches `times` times in sequence, and exits with 0. */
const fetching = (times: number): Uint8Array =>
  assemble(`
import http_fetch
import proc_exit
data 1024 ${JSON.stringify(action)}
local left
${fetchLoop(times, 1024, action)}`)

/** An upstream on loopback; the configuration that lets programs reach it. */
const openUpstream = async (listener: Parameters<typeof createServer>[1]): Promise<object> => {
  upstream = createServer({}, listener)
  return { outbound: { hostOverrides: { [host]: `http://127.0.0.1:${await portOf(upstream)}` } } }
}

const largeAnswers = soakCount({ everyday: 3, full: 10 })

test(`ten runs of ${largeAnswers} answers of 1 MiB`, async () => {
  const answer = Buffer.alloc(1_048_576, 97)
  const configuration = await openUpstream((_, response) => response.end(answer))
  const server = (attacked = await AttackedServer.open([fetching(largeAnswers)], configuration))
  const [program = ""] = server.programIds
  const seen = await server.during(async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => server.attackWith(program)))
    // The tally of this program cannot fetch, and exits with 0 anyway.
    expect(answers.filter((status) => ![200, 599, 503].includes(Number(status)))).toEqual([])
  })
  expectUnharmed(`ten runs of ${largeAnswers} fetches of 1 MiB`, seen)
}, 300_000)

/** More than a project's concurrent fetches; in a soak, more than the server's. */
const waiting = soakCount({ everyday: 300, full: 1_100 })

test(`${waiting} runs that wait for upstreams that never answer`, async () => {
  const configuration = await openUpstream(() => {})
  // A fifth of the default.
  const limits = { httpRequestTimeoutMs: 400 }
  const server = (attacked = await AttackedServer.open([fetching(1)], { ...configuration, limits }))
  const [program = ""] = server.programIds
  const seen = await server.during(async () => {
    const answers = await Promise.all(Array.from({ length: waiting }, () => server.attackWith(program)))
    // Runs beyond the project's share get 503; their number depends on timing.
    expect(answers.filter((status) => ![200, 503].includes(Number(status)))).toEqual([])
  })
  expectUnharmed(`${waiting} silent upstreams`, seen)
}, 300_000)

test("forty answers that arrive a byte at a time", async () => {
  const configuration = await openUpstream((_, response) => {
    response.writeHead(200, { "content-type": "text/plain" })
    let sent = 0
    const more = (): void => {
      if (response.destroyed || sent >= 200_000) return void response.end()
      for (let at = 0; at < 200; at += 1) response.write("a")
      sent += 200
      setImmediate(more)
    }
    more()
  })
  const server = (attacked = await AttackedServer.open([fetching(1)], configuration))
  const [program = ""] = server.programIds
  const seen = await server.during(async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => server.attackWith(program)))
    expect(answers.filter((status) => ![200, 503].includes(Number(status)))).toEqual([])
  })
  expectUnharmed("forty answers in crumbs", seen)
}, 300_000)
