/** One tenant's programs request names that no name server answers; another tenant's runs and fetches still succeed. */
import { createSocket, type Socket } from "node:dgram"
import { createServer, type Server } from "node:http"
import { soakCount } from "@sibyl/testing/soak"
import { assemble } from "@sibyl/testing/wasm"
import { afterEach, expect, test } from "vitest"
import { AttackedServer } from "./testdata/attackedServer.ts"
import { expectUnharmed } from "./testdata/expectUnharmed.ts"
import { actionFor, fetchLoop, portOf } from "./testdata/fetching.ts"

let attacked: AttackedServer | undefined
let nameServer: Socket | undefined
let upstream: Server | undefined

afterEach(async () => {
  await attacked?.close()
  nameServer?.close()
  upstream?.closeAllConnections()
  upstream?.close()
})

const at = 1_024
const fetches = 8
const silentAction = actionFor("x-0123456789abcdef.silent.example")
const nameAt = at + silentAction.indexOf("0123456789abcdef")

/** The letter before the inputs differs for each fetch. */
const nextName = `
  i32.const ${nameAt - 2}
  local.get left
  i32.const ${"a".charCodeAt(0)}
  i32.add
  i32.store8
`

/** Requests eight unique names in turn: they contain the run's inputs (8 bytes, in hex) and a number. */
const silentFetches = assemble(`
import args_get
import http_fetch
import proc_exit
data ${at} ${JSON.stringify(silentAction)}
local left
local inputs
i32.const 0
i32.const 4096
call args_get
drop
i32.const 4 ;; the pointer to argument 1
i32.load
local.set inputs
${[0, 4, 8, 12]
  .map(
    (part) => `
i32.const ${nameAt + part}
local.get inputs
i32.load offset=${part}
i32.store`
  )
  .join("")}
${fetchLoop(fetches, at, silentAction, nextName)}`)

const knownHost = "known.example"
const knownAction = actionFor(knownHost)

/** What the bystander fetches: the execution phase ends with 0 when the host's promise is fulfilled, else with 1. */
const knownFetch = assemble(`
import args_sizes_get
import http_fetch
import call_result_write
import proc_exit
local length
data ${at} ${JSON.stringify(knownAction)}
i32.const 0
i32.const 4
call args_sizes_get
drop
i32.const 3 ;; only the tally has three arguments beside the program's name
i32.const 0
i32.load
i32.lt_u
if tally
  i32.const 0
  call proc_exit
end
i32.const ${at}
i32.const ${knownAction.length}
call http_fetch
local.set length
i32.const 4096
local.get length
call call_result_write
i32.const 4096 ;; {"Fulfilled": or {"Rejected":
i32.load8_u offset=2
i32.const ${"F".charCodeAt(0)}
i32.ne
call proc_exit
`)

/** A name server that never answers, and the names that it was asked for. */
const openSilence = async (): Promise<{ readonly address: string; readonly names: ReadonlySet<string> }> => {
  const socket = (nameServer = createSocket("udp4"))
  const names = new Set<string>()
  socket.on("message", (question) => {
    // The labels follow the header of 12 bytes, each with its length.
    const found = /[a-z]-[0-9a-f]{16}/.exec(question.toString("latin1"))
    if (found !== null) names.add(found[0])
  })
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
  return { address: `127.0.0.1:${socket.address().port}`, names }
}

/** An upstream, and how often it was requested. */
const openUpstream = async (): Promise<{ readonly port: number; readonly asked: () => number }> => {
  let asked = 0
  const server = (upstream = createServer((_request, response) => {
    asked += 1
    response.end("known")
  }))
  return { port: await portOf(server), asked: () => asked }
}

/** More than a project's concurrent fetches. */
const runs = soakCount({ everyday: 40, full: 100 })

test(`${runs} runs that ask for names which no name server answers`, async () => {
  const silence = await openSilence()
  const known = await openUpstream()
  const server = (attacked = await AttackedServer.open([silentFetches, knownFetch], {
    // A quarter of the default.
    limits: { httpRequestTimeoutMs: 500 },
    outbound: {
      dnsServers: [silence.address],
      // A name, so that the system's resolver is used meanwhile.
      hostOverrides: { [knownHost]: `http://localhost:${known.port}` }
    }
  }))
  const [silent = "", fetching = ""] = server.programIds
  const seen = await server.during(async () => {
    const answers = await Promise.all(
      Array.from({ length: runs }, (_, run) => server.attackWith(silent, `run${String(run).padStart(5, "0")}`))
    )
    expect(answers.filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect(answers).toContain(200)
  }, [fetching])
  console.log(`${silence.names.size} names were asked for, the known host ${known.asked()} times`)
  expect(silence.names.size).toBeGreaterThanOrEqual(32) // a project's limit of concurrent fetches
  expect(known.asked()).toBeGreaterThan(0)
  expectUnharmed(`${runs} runs that ask for silent names`, seen)
}, 300_000)
