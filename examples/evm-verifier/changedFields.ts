/** Responses with one field changed each, all of which a verifier must refuse. */
import type { SignedRecord } from "@sibyl/core"

/** A response and its changed field, such as `dataResult.gasUsed`. */
export interface ChangedResponse {
  readonly field: string
  readonly record: SignedRecord
}

/** Another value of the same form: the last digit or bit is changed, an empty value becomes a byte. */
const otherValue = (value: unknown): unknown => {
  if (typeof value === "boolean") return !value
  if (typeof value === "number") return value ^ 1
  const text = String(value)
  return text === "" ? "00" : text.slice(0, -1) + (text.endsWith("1") ? "0" : "1")
}

const eachChanged = <Record extends object>(record: Record): ReadonlyArray<readonly [name: string, changed: Record]> =>
  Object.entries(record).map(([name, value]) => [name, { ...record, [name]: otherValue(value) }])

/** Every field of the request and the result, and the signature (its last byte, and its high s). */
export const changedFields = (record: SignedRecord): ReadonlyArray<ChangedResponse> => [
  ...eachChanged(record.dataRequest).map(([name, dataRequest]) => ({
    field: `dataRequest.${name}`,
    record: { ...record, dataRequest }
  })),
  ...eachChanged(record.dataResult).map(([name, dataResult]) => ({
    field: `dataResult.${name}`,
    record: { ...record, dataResult }
  })),
  { field: "signature, v", record: { ...record, signature: String(otherValue(record.signature)) } },
  { field: "signature, high s", record: { ...record, signature: highTwin(record.signature) } }
]

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The other signature that is valid for the same key: s as n − s, and the other v. */
export const highTwin = (signature: string): string => {
  const s = (order - BigInt(`0x${signature.slice(64, 128)}`)).toString(16).padStart(64, "0")
  return signature.slice(0, 64) + s + (1 - Number(`0x${signature.slice(128)}`)).toString(16).padStart(2, "0")
}
