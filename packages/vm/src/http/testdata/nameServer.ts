/** A name server on loopback: the first label of a name determines the answer. */
import { createSocket } from "node:dgram"

/** A running name server. */
export interface NameServer {
  /** `127.0.0.1:port`. */
  readonly address: string
  /** The requested names, once for each family. */
  readonly asked: Array<string>
  readonly close: () => void
}

const questionOf = (message: Buffer): { readonly name: string; readonly type: number; readonly end: number } => {
  const labels: Array<string> = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.subarray(at + 1, at + 1 + length).toString())
    at += length + 1
  }
  return { name: labels.join("."), type: message.readUInt16BE(at + 1), end: at + 5 }
}

const [typeA, typeAaaa] = [1, 28]

/** A record for the requested name with a TTL of one minute. */
const record = (type: number, data: ReadonlyArray<number>): Buffer =>
  Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data])

/** `public`: 192.0.43.8 in both families; `private`: 10.0.0.1; `silent`: no answer; all others do not exist. */
const recordsOf = (kind: string, type: number): ReadonlyArray<Buffer> => {
  if (kind === "private" && type === typeA) return [record(type, [10, 0, 0, 1])]
  if (kind !== "public") return []
  if (type === typeA) return [record(type, [192, 0, 43, 8])]
  return type === typeAaaa ? [record(type, [0x26, 0x20, 0, 0, 0x2d, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1])] : []
}

/** Starts one on a free port. */
export const startNameServer = async (): Promise<NameServer> => {
  const socket = createSocket("udp4")
  const asked: Array<string> = []
  socket.on("message", (message, from) => {
    const { end, name, type } = questionOf(message)
    asked.push(name)
    const kind = name.split(/[.-]/)[0] ?? ""
    if (kind === "silent") return
    const records = recordsOf(kind, type)
    const head = Buffer.from(message.subarray(0, end))
    head.writeUInt16BE(kind === "public" || kind === "private" ? 0x81_80 : 0x81_83, 2)
    head.writeUInt16BE(records.length, 6)
    head.writeUInt32BE(0, 8)
    socket.send(Buffer.concat([head, ...records]), from.port, from.address)
  })
  await new Promise<void>((resolve) => {
    socket.bind(0, "127.0.0.1", resolve)
  })
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() }
}
