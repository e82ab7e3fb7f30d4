/** What a generated client writes on one connection, and the answers it must get; reproducible by its seed. */
import { type Random, seededRandom } from "../../../crash/testdata/seededRandom.ts"

/** One piece that a client writes. */
interface Piece {
  readonly text: string
  /** The expected status; none for garbage. */
  readonly status?: number
  readonly isHead?: boolean
  /** Whether the server may close after the answer, as one that does not support the offered protocol does. */
  readonly mayClose?: boolean
}

/** How a client leaves. */
export type Leaving = "whenAnswered" | "halfClosed" | "reset" | "silently"

/** One connection. */
export interface WireScript {
  readonly seed: number
  /** Written one after the other, with a pause before each. */
  readonly writes: ReadonlyArray<{ readonly text: string; readonly pauseMs: number }>
  /** The expected statuses, in order. */
  readonly due: ReadonlyArray<{ readonly status: number; readonly isHead: boolean }>
  /** How many of them must come. */
  readonly certain: number
  readonly leaving: Leaving
}

type Make = (random: Random) => Piece

const request = (line: string, headers: ReadonlyArray<string> = [], body = ""): string =>
  [`${line} HTTP/1.1`, "host: 127.0.0.1", ...headers, "", body].join("\r\n")

const json = "content-type: application/json"
const sized = (body: string): ReadonlyArray<string> => [json, `content-length: ${body.length}`]
const chunked = '5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n'

const plain: ReadonlyArray<Make> = [
  () => ({ text: request("GET /health"), status: 200 }),
  () => ({ text: request("GET /info"), status: 200 }),
  () => ({ text: request("GET /nothing"), status: 404 }),
  () => ({ text: request("GET /execute?a=1"), status: 401 }),
  () => ({ text: request("GET /data-proxy/zz"), status: 400 }),
  () => ({ text: request("GET /ws/v1"), status: 426 }),
  () => ({ text: request("HEAD /health"), status: 200, isHead: true }),
  () => ({ text: request("DELETE /health"), status: 405 }),
  (random) => {
    const body = JSON.stringify({ a: "x".repeat(random(3_000)) })
    return { text: request("POST /execute", sized(body), body), status: 401 }
  },
  () => ({ text: request("POST /execute", [json, "transfer-encoding: chunked"], chunked), status: 401 })
]

const webSocket = ["sec-websocket-version: 13", "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="]
const offerOf = (protocol: string): ReadonlyArray<string> => ["connection: Upgrade", `upgrade: ${protocol}`]

const offers = (authorization: string): ReadonlyArray<Make> => [
  () => ({ text: request("GET /health", offerOf("h2c")), status: 200, mayClose: true }),
  () => ({ text: request("GET /nothing", offerOf("TLS/1.0, h2c")), status: 404, mayClose: true }),
  (random) => {
    const body = "x".repeat(random(2_000))
    return { text: request("POST /execute", [...offerOf("h2c"), ...sized(body)], body), status: 401, mayClose: true }
  },
  () => ({ text: request("GET /ws/v1", [...offerOf("websocket"), ...webSocket]), status: 401, mayClose: true }),
  () => ({
    text: request("GET /ws/v1", [...offerOf("websocket"), ...webSocket, authorization]) + "\u0081\u0000\u00ff".repeat(3),
    status: 101,
    mayClose: true
  })
]

/** Garbage that no server has to answer. Nothing can be expected of a connection after it. */
const garbage: ReadonlyArray<Make> = [
  () => ({ text: "\r\n\r\n\u0000\u0001GET" }),
  () => ({ text: request("GET /hea lth") }),
  () => ({ text: "GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nconnec" }),
  () => ({ text: request("POST /execute", [json, "content-length: 500"], "short") }),
  () => ({ text: request("POST /execute", [json, "transfer-encoding: chunked"], "zz\r\n") }),
  () => ({ text: request("POST /execute", [...offerOf("h2c"), "content-length: 500"], "short") }),
  () => ({ text: request("POST /execute", [...offerOf("h2c"), "transfer-encoding: chunked"], chunked) }),
  () => ({ text: request("CONNECT /health", offerOf("h2c")) }),
  () => ({ text: request("GET /ws/v1", [...offerOf("websocket"), "sec-websocket-version: 99"]) }),
  () => ({ text: request("GET /health", ["expect: nonsense"]) }),
  () => ({ text: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" }),
  (random) => ({ text: String.fromCharCode(...Array.from({ length: 1 + random(200) }, () => random(256))) })
]

const pick = <A>(random: Random, from: ReadonlyArray<A>): A => {
  const picked = from[random(from.length)]
  if (picked === undefined) throw new Error("nothing to pick from")
  return picked
}

const leavings: ReadonlyArray<Leaving> = ["whenAnswered", "whenAnswered", "whenAnswered", "halfClosed", "reset", "silently"]

/** Splits a text at random places; mostly it stays whole, because pipelined requests are the hard case. */
const cut = (random: Random, text: string): WireScript["writes"] => {
  const places = random(3) === 0 ? Array.from({ length: 1 + random(4) }, () => random(text.length)) : []
  const ends = [...places, text.length].toSorted((one, two) => one - two)
  return ends.map((end, index) => ({ text: text.slice(ends[index - 1] ?? 0, end), pauseMs: index === 0 ? 0 : random(6) }))
}

/** The script of a seed. `authorization` is the header line of a key that may open WebSockets. */
export const wireScript = (seed: number, authorization: string): WireScript => {
  const random = seededRandom(seed)
  const kinds = pick(random, [[plain], [plain, offers(authorization)], [plain, plain, offers(authorization), garbage]])
  const pieces = Array.from({ length: 1 + random(6) }, () => pick(random, pick(random, kinds))(random))
  const broken = pieces.findIndex(({ status }) => status === undefined)
  const whole = broken < 0 ? pieces : pieces.slice(0, broken)
  const due = whole.map(({ isHead = false, status = 0 }) => ({ status, isHead }))
  const mayClose = whole.findIndex((piece) => piece.mayClose === true)
  const leaving = pick(random, leavings)
  const answered = mayClose < 0 ? due.length : mayClose + 1
  return {
    seed,
    writes: cut(random, pieces.map(({ text }) => text).join("")),
    due,
    certain: leaving === "whenAnswered" && broken < 0 ? answered : 0,
    leaving
  }
}
