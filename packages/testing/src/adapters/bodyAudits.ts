/** What every adapter must do with bodies: exact bytes, counted limits, early refusals, aborted uploads. */
import { type Audit, audit } from "../audits/audit.ts"
import { type Check, same } from "../audits/check.ts"
import { type AdapterTarget, ask, freshName, outcomeOf } from "./adapterTarget.ts"
import { openRawConnection, patienceMs } from "../wire/rawConnection.ts"

const octets = { "content-type": "application/octet-stream" }
const everyByte = Uint8Array.from({ length: 256 }, (_, at) => at)
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

const head = (target: AdapterTarget, method: string, path: string, lines: ReadonlyArray<string>): string => {
  const { host, pathname, search } = new URL(`${target.baseUrl}${path}`)
  return [`${method} ${pathname}${search} HTTP/1.1`, `host: ${host}`, ...lines, "", ""].join("\r\n")
}

const chunked = (bytes: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")])

/** How an upload says its length: beforehand, or not at all. */
type Framing = "declared" | "chunked"

const uploadBytes = 20 * 1024 * 1024
const piece = new Uint8Array(64 * 1024)

/** When an uploading client looks for an answer: in the midst of it, or not before it has written everything. */
type Manner = "attentive" | "stubborn"

/** Uploads up to 20 MB against a limit of 1,000 bytes. */
const uploadTooMuch = async (target: AdapterTarget, framing: Framing, manner: Manner): Promise<ReadonlyArray<Check>> => {
  const connection = await openRawConnection(target.baseUrl)
  const length = framing === "declared" ? `content-length: ${uploadBytes}` : "transfer-encoding: chunked"
  const bytes = framing === "declared" ? piece : chunked(piece)
  const pieces = manner === "attentive" ? 4 : uploadBytes / piece.length
  if (manner === "stubborn") connection.stopReading()
  await connection.write(head(target, "POST", "/body?max=1000", ["content-type: application/octet-stream", length]))
  for (let left = pieces; left > 0 && (await connection.write(bytes)); left -= 1);
  connection.readOn()
  const answer = await connection.answered(patienceMs)
  connection.reset()
  const what = `${manner} client, length ${framing}`
  return [same(`${what}: status`, answer?.status, 413), same(`${what}: body`, answer?.body, '{"reason":"tooLarge"}')]
}

const carriesBodies = audit<AdapterTarget>(
  "ADAPTER-BODY-001",
  "MUST",
  "design §3",
  "every byte of a body arrives, and nothing when there is none",
  async (target) => {
    const sent = await ask(target, "/body?max=256", { method: "POST", body: everyByte, headers: octets })
    const none = await ask(target, "/body?max=256", { method: "POST" })
    const get = await ask(target, "/body?max=256")
    return [
      same("bytes", sent.json, { bytes: base64(everyByte) }),
      same("POST without a body", none.json, { bytes: "" }),
      same("GET without a body", get.json, { bytes: "" })
    ]
  }
)

/** A body of two pieces whose length is not declared. */
const streamed = (length: number): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      controller.enqueue(everyByte.subarray(0, 10))
      controller.enqueue(everyByte.subarray(10, length))
      controller.close()
    }
  })

const streaming = (length: number): RequestInit =>
  ({ method: "POST", body: streamed(length), headers: octets, duplex: "half" }) as RequestInit

const countsBodies = audit<AdapterTarget>(
  "ADAPTER-BODY-002",
  "MUST",
  "D13, D29",
  "a body of exactly the limit is read; one byte more is too large, its length declared or not",
  async (target) => {
    const fits = await ask(target, "/body?max=256", { method: "POST", body: everyByte, headers: octets })
    const over = await ask(target, "/body?max=255", { method: "POST", body: everyByte, headers: octets })
    const fitsStreamed = await ask(target, "/body?max=20", streaming(20))
    const overStreamed = await ask(target, "/body?max=19", streaming(20))
    return [
      same("at the limit", fits.status, 200),
      same("over the limit", [over.status, over.json], [413, { reason: "tooLarge" }]),
      same("at the limit, undeclared", fitsStreamed.json, { bytes: base64(everyByte.subarray(0, 20)) }),
      same("over the limit, undeclared", [overStreamed.status, overStreamed.json], [413, { reason: "tooLarge" }])
    ]
  }
)

const refusesEarly = audit<AdapterTarget>(
  "ADAPTER-BODY-003",
  "MUST",
  "D13",
  "a client that is uploading 20 MB gets its 413 in the midst of it, or after it if it only looks then",
  async (target) => {
    const uploads = [
      uploadTooMuch(target, "declared", "attentive"),
      uploadTooMuch(target, "chunked", "attentive"),
      uploadTooMuch(target, "declared", "stubborn"),
      uploadTooMuch(target, "chunked", "stubborn")
    ]
    const checks = (await Promise.all(uploads)).flat()
    return [...checks, same("the server answers on", (await ask(target, "/mirror")).status, 200)]
  }
)

const noticesAbortedBodies = audit<AdapterTarget>(
  "ADAPTER-BODY-004",
  "MUST",
  "design §3",
  "a body that the client breaks off is aborted, and the server answers on",
  async (target) => {
    const name = freshName()
    const connection = await openRawConnection(target.baseUrl)
    await connection.write(head(target, "POST", `/body?max=1000&name=${name}`, ["content-length: 100"]))
    await connection.write("ten bytes.")
    // Long enough for the service to be waiting for the rest.
    await connection.answered(200)
    connection.reset()
    return [
      same("how the body ended", await outcomeOf(target, name), "aborted"),
      same("the server answers on", (await ask(target, "/mirror")).status, 200)
    ]
  }
)

const noticesLeavingClients = audit<AdapterTarget>(
  "ADAPTER-SIGNAL-001",
  "MUST",
  "design §3",
  "the signal is aborted when the client leaves, and only then",
  async (target) => {
    const [left, stayed] = [freshName(), freshName()]
    const connection = await openRawConnection(target.baseUrl)
    await connection.write(head(target, "GET", `/wait?ms=60000&name=${left}`, []))
    await connection.answered(200)
    connection.reset()
    const answer = await ask(target, `/wait?ms=20&name=${stayed}`)
    return [
      same("how the request of the client that left ended", await outcomeOf(target, left), "aborted"),
      same("how the request of the client that stayed ended", answer.json, { outcome: "answered" })
    ]
  }
)

/** Bodies, counted and aborted, and clients that leave. */
export const bodyAudits: ReadonlyArray<Audit<AdapterTarget>> = [
  carriesBodies,
  countsBodies,
  refusesEarly,
  noticesAbortedBodies,
  noticesLeavingClients
]
