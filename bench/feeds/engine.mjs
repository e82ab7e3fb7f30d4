/** One case, in its own process: many feeds, each opened by `feed.start` through the connection engine over sockets in this process. */
import { openBenchService, openNoopEngine, startRequest } from "./benchService.mjs"
import { Lateness, watch } from "./lateness.mjs"
import { rest, startEvenly } from "./startEvenly.mjs"

const feedsPerConnection = 50
const connectionsPerKey = 20

/** `run` is `noop`, `remembered` (the last result is returned, nothing runs) or `signed` (everything except the program). */
const { feeds, run, seconds, startSeconds } = JSON.parse(process.argv[2])
const connections = Math.ceil(feeds / feedsPerConnection)
const lateness = new Lateness()
const open = run === "noop" ? openNoopEngine : openBenchService
const { keys, programId, service } = await open(Math.ceil(connections / connectionsPerKey))

let started = 0
let failed = 0

const take = (text) => {
  if (text.includes(`"result":{"feedId"`)) started += 1
  else if (text.includes(`"error"`)) failed += 1
  else lateness.addFrame(text)
}

const connect = async (key) => {
  const open = await service.upgrade({
    method: "GET",
    url: "/ws/v1",
    header: (name) => (name === "authorization" ? `Bearer ${key}` : undefined),
    body: async () => new Uint8Array()
  })
  const broken = (why) => {
    throw new Error(`the connection ended: ${why}`)
  }
  const peer = open({
    sendTexts: (texts) => texts.forEach(take),
    bufferedAmount: () => 0,
    ping: () => queueMicrotask(() => peer.pong()),
    close: broken,
    terminate: () => broken("cut off")
  })
  return peer
}

const opened = []
for (let at = 0; at < connections; at += 1) opened.push(await connect(keys[Math.floor(at / connectionsPerKey)]))

// A first result, for the cases that return it.
const first = { execProgramId: programId, execInputs: { id: "btc" } }
opened[0].message(JSON.stringify({ jsonrpc: "2.0", id: "first", method: "feed.execute", params: first }))
await rest(100)

const execute = run === "remembered" ? { returnLastResult: true } : {}
await startEvenly(feeds, startSeconds, (asked) => {
  opened[Math.floor(asked / feedsPerConnection)].message(startRequest(String(asked), programId, { execute }))
})
await rest(3_000)
if (started !== feeds) process.stderr.write(`only ${started} of ${feeds} feeds run\n`)

const summary = await watch(lateness, seconds, feeds)
process.stdout.write(JSON.stringify({ feeds: started, failed, ...summary }))
process.exit()
