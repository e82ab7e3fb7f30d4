/** Audits of bodies in adapters: exact bytes, counted limits, early refusals, aborted uploads. */
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

/** Whether the length of an upload is declared. */
type Framing = "declared" | "chunked"

const uploadBytes = 20 * 1024 * 1024
const piece = new Uint8Array(64 * 1024)

/** When the client reads the response: while it uploads, or only after it has written everything. */
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
  "ARCHITECTURE.md#three-ideas",
  "every byte of a body arrives, and nothing if there is none",
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

/** A body of two chunks without a declared length. */
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
  "a body of exactly the limit is read; one byte more is too large, with or without a declared length",
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
  "a client that uploads 20 MB gets its 413 during the upload, or after it if it reads only then",
  async (target) => {
    const uploads = [
      uploadTooMuch(target, "declared", "attentive"),
      uploadTooMuch(target, "chunked", "attentive"),
      uploadTooMuch(target, "declared", "stubborn"),
      uploadTooMuch(target, "chunked", "stubborn")
    ]
    const checks = (await Promise.all(uploads)).flat()
    return [...checks, same("the server still answers", (await ask(target, "/mirror")).status, 200)]
  }
)

const noticesAbortedBodies = audit<AdapterTarget>(
  "ADAPTER-BODY-004",
  "MUST",
  "ARCHITECTURE.md#three-ideas",
  "a body that the client interrupts is aborted, and the server still answers",
  async (target) => {
    const name = freshName()
    const connection = await openRawConnection(target.baseUrl)
    await connection.write(head(target, "POST", `/body?max=1000&name=${name}`, ["content-length: 100"]))
    await connection.write("ten bytes.")
    // Long enough for the service to wait for the rest.
    await connection.answered(200)
    connection.reset()
    return [
      same("how the body ended", await outcomeOf(target, name), "aborted"),
      same("the server still answers", (await ask(target, "/mirror")).status, 200)
    ]
  }
)

const noticesLeavingClients = audit<AdapterTarget>(
  "ADAPTER-SIGNAL-001",
  "MUST",
  "ARCHITECTURE.md#three-ideas",
  "the signal is aborted if the client disconnects, and only then",
  async (target) => {
    const [left, stayed] = [freshName(), freshName()]
    const connection = await openRawConnection(target.baseUrl)
    await connection.write(head(target, "GET", `/wait?ms=60000&name=${left}`, []))
    await connection.answered(200)
    connection.reset()
    const answer = await ask(target, `/wait?ms=20&name=${stayed}`)
    return [
      same("how the request of the disconnected client ended", await outcomeOf(target, left), "aborted"),
      same("how the request of the connected client ended", answer.json, { outcome: "answered" })
    ]
  }
)

/** Bodies, counted and aborted, and clients that disconnect. */
export const bodyAudits: ReadonlyArray<Audit<AdapterTarget>> = [
  carriesBodies,
  countsBodies,
  refusesEarly,
  noticesAbortedBodies,
  noticesLeavingClients
]
