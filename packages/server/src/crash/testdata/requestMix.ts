/** Requests of many kinds, with right keys, wrong keys, and keys in places where none belongs; keeps every answer. */
import { apiKeyEntropyBytes, makeApiKey } from "@sibyl/core"
import { dial } from "@sibyl/testing"
import type { Random } from "./seededRandom.ts"

/** What to request, and how often. */
export interface RequestMix {
  readonly url: string
  readonly key: string
  readonly wrong: ReadonlyArray<string>
  readonly programs: { readonly echo: string; readonly failing: string; readonly fetching: string }
  readonly random: Random
  readonly requests: number
}

/** The answers. */
export interface Answers {
  readonly count: number
  readonly statuses: Readonly<Record<number, number>>
  /** Bodies, headers and WebSocket messages, without duplicates. */
  readonly texts: ReadonlyArray<string>
}

/** Invalid keys: unknown, of another network, and the right one with a wrong secret or a wrong checksum. */
export const wrongKeys = (key: string): ReadonlyArray<string> => {
  const bytes = (fill: number) => new Uint8Array(apiKeyEntropyBytes).fill(fill)
  const [, network = "", apiKeyId = ""] = key.split("_")
  const sameId = Uint8Array.from([...Buffer.from(apiKeyId, "hex"), ...bytes(7)]).slice(0, apiKeyEntropyBytes)
  return [
    makeApiKey(network, bytes(1)).key,
    makeApiKey("elsewhere", bytes(2)).key,
    makeApiKey(network, sameId).key,
    `${makeApiKey(network, bytes(3)).key.slice(0, -1)}x`
  ]
}

type Ask = readonly [path: string, init: RequestInit]

const post = (authorization: string, body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: "POST",
  headers: { authorization, "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body)
})

/** Requests that run nothing; `any` is a key, right or wrong, in places where none belongs. */
const cheapRequests = (right: string, any: string, programs: RequestMix["programs"]): ReadonlyArray<Ask> => {
  const authorization = `Bearer ${right}`
  const headers = { authorization }
  const execute = { execProgramId: programs.echo }
  return [
    ["/verify", { headers: { authorization: `Bearer ${any}` } }],
    ["/project", { headers: { authorization: any } }],
    ["/project", { headers: { authorization: `Basic ${Buffer.from(`user:${any}`).toString("base64")}` } }],
    ["/project", { headers }],
    [`/verify?apiKey=${any}&key=${any}`, {}],
    [`/verify/${any}`, { headers }],
    [`/${any}`, {}],
    ["/verify", { headers: { "x-api-key": any, cookie: `key=${any}`, referer: `http://x/${any}`, "user-agent": any } }],
    ["/verify", { headers: { authorization: `Bearer ${any} ${any}` } }],
    [`/execute?execProgramId=${any}`, { headers }],
    [`/execute?execProgramId=${programs.echo}&encoding=${any}`, { headers }],
    [`/execute?execProgramId=${programs.echo}&includeDebugInfo=${any}`, { headers }],
    ["/execute", post(authorization, { execProgramId: any })],
    ["/execute", post(authorization, { ...execute, encoding: any, injectLastResult: any })],
    ["/execute", post(authorization, { ...execute, inputEncoding: any, execInputs: "0x" })],
    ["/execute", post(authorization, `{"execProgramId": "${any}`)],
    ["/execute", post(authorization, `["${any}"]`)],
    ["/execute", post(authorization, any, { "content-type": "text/plain" })],
    ["/execute", post(authorization, execute, { "idempotency-key": any })],
    ["/execute", post(`Bearer ${any}`, { ...execute, returnLastResult: true, returnLastResultMaxAge: any })],
    ["/execute?dryRun=true", post(authorization, { ...execute, apiKey: any })],
    ["/execute/last-result", { headers, method: "DELETE" }],
    [`/execute/last-result?execProgramId=${programs.failing}&tallyInputs=${any}`, { headers }],
    [`/data-request-reports?drId=${any}`, { headers }],
    [`/data-request-reports?drId=${"ab".repeat(32)}&nextPageId=${any}&startDate=${any}`, { headers }],
    [`/data-proxy/${any}`, { headers }],
    ["/health", { headers: { authorization: `Bearer ${any}` } }],
    ["/info", { headers: { "x-request-id": any, traceparent: any } }]
  ]
}

const runs = (right: string, { echo, failing, fetching }: RequestMix["programs"], random: Random): Ask => {
  const programs = [echo, failing, fetching]
  const execInputs = `{"id":"${"0a".repeat(32)}","n":${random(1_000)}}`
  const options = { includeDebugInfo: true, includeSummary: true, execInputs }
  return ["/execute", post(`Bearer ${right}`, { execProgramId: programs[random(programs.length)], ...options })]
}

/** WebSockets with a key where it belongs, and with keys in places where none belongs. */
const connect = async (url: string, right: string, any: string): Promise<ReadonlyArray<string>> => {
  const refused = await Promise.all([
    dial({ url: `${url}/ws/v1?apiKey=${any}` }),
    dial({ url: `${url}/ws/v1`, headers: { "sec-websocket-protocol": any } }),
    dial({ url: `${url}/ws/v1/${any}`, headers: { authorization: `Bearer ${right}` } }),
    dial({ url: `${url}/ws/v1`, headers: { authorization: `Bearer ${any}!` } })
  ])
  const { client } = await dial({ url: `${url}/ws/v1`, headers: { authorization: `Bearer ${right}` } })
  if (client === undefined) throw new Error("no WebSocket")
  const say = (message: object) => client.sendText(JSON.stringify({ jsonrpc: "2.0", id: "said", ...message }))
  client.sendText(`{"jsonrpc": "${any}`)
  say({ method: any })
  say({ method: "feed.execute", params: { execProgramId: any } })
  say({ method: "feed.start", params: { execute: any, mode: any, periodicityMs: any } })
  say({ method: "feed.stop", params: { feedId: any } })
  // The `authorized` notification, and one answer per message.
  await client.until(() => client.messages[5])
  client.sendText("")
  await client.bye()
  return [...refused.map((answer) => JSON.stringify(answer)), ...client.messages.map(({ text }) => text)]
}

/** Sends requests of all kinds in random order, 24 concurrently. */
export const sendRequestMix = async ({ key, programs, random, requests, url, wrong }: RequestMix): Promise<Answers> => {
  const statuses: Record<number, number> = {}
  const texts = new Set<string>()
  let count = 0
  const next = (): Ask => {
    const any = [key, ...wrong][random(wrong.length + 1)] ?? key
    const cheap = cheapRequests(key, any, programs)
    return random(20) === 0 ? runs(key, programs, random) : (cheap[random(cheap.length)] ?? runs(key, programs, random))
  }
  const loop = async (): Promise<void> => {
    while (count < requests) {
      count += 1
      const [path, init] = next()
      const response = await fetch(`${url}${path}`, init)
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      texts.add(await response.text())
      texts.add(JSON.stringify([...response.headers]))
    }
  }
  const sockets = [key, ...wrong].map(async (any) => {
    for (const text of await connect(url, key, any)) texts.add(text)
  })
  await Promise.all([...sockets, ...Array.from({ length: 24 }, loop)])
  return { count, statuses, texts: [...texts] }
}
