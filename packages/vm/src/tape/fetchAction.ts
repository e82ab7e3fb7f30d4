/** The JSON of a program's HTTP request, decoded tolerantly: SDKs write it in different ways (docs/PROGRAMS.md). */
import { RecentMap } from "@sibyl/core/internal"
import { isRecord, parseJson } from "./json.ts"
import { refusedAs, unreadable, type Reading } from "./reading.ts"

/** Headers of one request above this number are refused. */
export const maxActionHeaders = 128

/** A decoded request. */
export interface FetchAction {
  readonly url: string
  /** Upper case. */
  readonly method: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Empty if there is none. */
  readonly body: Uint8Array
  /** The requested time-out in ms; undefined means the host's default. */
  readonly timeoutMs: number | undefined
  /** The data proxy's key, if the program named one. */
  readonly publicKey: string | undefined
}

const decodeHeaders = (value: unknown): FetchAction["headers"] | undefined => {
  if (value === undefined || value === null) return []
  if (!isRecord(value)) return undefined
  const headers = Object.entries(value)
  return headers.every((header): header is [string, string] => typeof header[1] === "string") ? headers : undefined
}

const isByte = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255

const decodeBody = (value: unknown): Uint8Array | undefined => {
  if (value === undefined || value === null) return new Uint8Array()
  return Array.isArray(value) && value.every(isByte) ? Uint8Array.from(value) : undefined
}

/** A positive number of ms, rounded up; any other value means the host's default. */
const decodeTimeout = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.ceil(value) : undefined

/** The request in a JSON value, undefined if it is none. */
const requestOf = (json: unknown): FetchAction | undefined => {
  if (!isRecord(json) || typeof json["url"] !== "string") return undefined
  const options = json["options"] ?? {}
  if (!isRecord(options)) return undefined
  const method = options["method"] ?? "GET"
  const headers = decodeHeaders(options["headers"])
  const body = decodeBody(options["body"])
  const publicKey = json["public_key"] ?? undefined
  if (typeof method !== "string" || headers === undefined || body === undefined) return undefined
  if (publicKey !== undefined && typeof publicKey !== "string") return undefined
  return {
    url: json["url"],
    method: method.toUpperCase(),
    headers,
    body,
    timeoutMs: decodeTimeout(options["timeout_ms"]),
    publicKey
  }
}

const decoded = (action: Uint8Array): Reading<FetchAction> => {
  const json = parseJson(action)
  if (json.kind !== "request") return json
  const request = requestOf(json.request)
  if (request === undefined) return unreadable
  return request.headers.length > maxActionHeaders
    ? refusedAs(`the request has more than ${maxActionHeaders} headers`)
    : { kind: "request", request }
}

/** Longer actions are decoded each time. */
const longestRemembered = 4_096

/** The bytes of the remembered actions of a generation, of which there are two; and what each counts as in addition. */
const [rememberedBytes, entryBytes] = [262_144, 512]

interface Remembered {
  readonly reading: Reading<FetchAction>
  readonly bytes: number
}

const remembered = new RecentMap<Remembered>(rememberedBytes, ({ bytes }) => bytes + entryBytes)

/**
 * Decodes an action: any order of keys, missing options, whole or fractional time-outs. Programs make the same requests again and again, and
 * each is read in every pass, to prefetch it and to tell of it: what it says is remembered, and must not be changed.
 */
export const decodeFetchAction = (action: Uint8Array): Reading<FetchAction> => {
  const { buffer, byteLength: bytes, byteOffset } = action
  if (bytes > longestRemembered) return decoded(action)
  const text = Buffer.from(buffer, byteOffset, bytes).toString("latin1")
  const known = remembered.get(text)
  if (known !== undefined) return known.reading
  const reading = decoded(action)
  remembered.set(text, { reading, bytes })
  return reading
}
