/** Responses to be checked: the public network's, ours signed with the test key, and each with one bit changed. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import fc from "fast-check"
import { toHex } from "../domain/encoding/bytes.ts"
import { dataRequestIdOf } from "../domain/protocol/dataRequestId.ts"
import { dataResultIdOf } from "../domain/protocol/dataResultId.ts"
import type { SignedRecord } from "../domain/protocol/signedRecord.ts"
import { readRecords, type SignedRecords } from "../verify/readRecords.ts"
import { bytesOf, golden } from "./vectors.ts"

/** The keys of the public network's mainnet and testnet. */
export const networkKeys = {
  mainnet: golden.serviceSigners.mainnet.compressed,
  testnet: golden.serviceSigners.testnet.compressed
}

/** A response's signed part, with either name of the payload field. */
export type SignedPart = Pick<(typeof golden.liveServiceSamples)[number], "dataRequest" | "dataResult" | "signature">

/** The recorded responses of the public network, each with its network. */
export const liveParts = golden.liveServiceSamples.map(({ dataRequest, dataResult, expect, network, signature }) => ({
  part: { dataRequest, dataResult, signature } as SignedPart,
  network: network === "mainnet" ? ("mainnet" as const) : ("testnet" as const),
  expect
}))

/** The public network's first recorded response. */
export const livePart: SignedPart = (() => {
  const [first] = liveParts
  if (first === undefined) throw new Error("there is no recorded response")
  return first.part
})()

const recordsOf = (dataRequest: SignedRecord["dataRequest"], dataResult: SignedRecord["dataResult"]): SignedRecords => {
  const read = readRecords({ dataRequest, dataResult, signature: "00".repeat(65), copies: [] })
  if ("ok" in read) throw new Error(read.message)
  return read
}

/** The records signed with the golden test key, after their drId was corrected. */
export const signedWithTestKey = (
  dataRequest: SignedRecord["dataRequest"],
  dataResult: Omit<SignedRecord["dataResult"], "drId">
): SignedRecord => {
  const unnamed = { ...dataResult, drId: "0".repeat(64) }
  const read = recordsOf(dataRequest, unnamed)
  const drId = dataRequestIdOf(read.dataRequest)
  const resultId = dataResultIdOf({ ...read.dataResult, drId })
  const [v = 0, ...rs] = secp256k1.sign(resultId, bytesOf(golden.testKey.privateKey), {
    prehash: false,
    format: "recovered"
  })
  return { dataRequest, dataResult: { ...dataResult, drId }, signature: toHex(Uint8Array.of(...rs, v)) }
}

const flippedHex = (hex: string): fc.Arbitrary<string> =>
  hex === ""
    ? fc.integer({ min: 0, max: 255 }).map((byte) => toHex(Uint8Array.of(byte)))
    : fc
        .tuple(fc.nat(hex.length / 2 - 1), fc.nat(7))
        .map(([at, bit]) => toHex(bytesOf(hex).map((byte, index) => (index === at ? byte ^ (1 << bit) : byte))))

const flippedUint = (text: string, bits: number): fc.Arbitrary<string> =>
  fc.nat(bits - 1).map((bit) => String(BigInt(text) ^ (1n << BigInt(bit))))

const flippedText = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(text.length - 1), fc.nat(6))
    .map(([at, bit]) =>
      String.fromCharCode(...[...text].map((character, index) => character.charCodeAt(0) ^ (index === at ? 1 << bit : 0)))
    )

const flippedInt = (value: number, bits: number): fc.Arbitrary<number> => fc.nat(bits - 1).map((bit) => value ^ (1 << bit))

/** The size of the integers that are written as text. */
export const bitsOf: Readonly<Record<string, number>> = {
  execGasLimit: 64,
  tallyGasLimit: 64,
  gasPrice: 128,
  blockHeight: 64,
  blockTimestamp: 64,
  gasUsed: 128
}

/** The value of a field with one bit changed, still in the field's form and range; an empty text becomes one byte. */
const flipped = (name: string, value: unknown): fc.Arbitrary<unknown> => {
  if (typeof value === "boolean") return fc.constant(!value)
  if (typeof value === "number") return flippedInt(value, name === "exitCode" ? 8 : 16)
  const bits = bitsOf[name]
  if (bits !== undefined) return flippedUint(String(value), bits)
  return name === "version" ? flippedText(String(value)) : flippedHex(String(value))
}

/** Every field that is signed, and the signature, as `record.field`. */
export const signedFieldsOf = (part: SignedPart): ReadonlyArray<string> => [
  ...Object.keys(part.dataRequest)
    .filter((name) => name !== "execOnsName")
    .map((name) => `dataRequest.${name}`),
  ...Object.keys(part.dataResult).map((name) => `dataResult.${name}`),
  "signature"
]

/** The same response with another value in one field, or without the field if there is none. */
export const withField = (part: SignedPart, field: string, value: unknown): object => {
  const [record = "", name] = field.split(".")
  if (name === undefined) return { ...part, [record]: value }
  const old = record === "dataRequest" ? part.dataRequest : part.dataResult
  const others = Object.entries(old).filter(([key]) => key !== name)
  return { ...part, [record]: Object.fromEntries([...others, [name, value]]) }
}

/** The value of a field. */
export const fieldOf = (part: SignedPart, field: string): unknown => {
  const [record = "", name] = field.split(".")
  if (name === undefined) return part.signature
  const fields = Object.entries(record === "dataRequest" ? part.dataRequest : part.dataResult)
  return fields.find(([key]) => key === name)?.[1]
}

/** The same response with one bit of one field changed, with every field still in its form and range. */
export const oneBitChanged = (part: SignedPart, field: string): fc.Arbitrary<object> =>
  flipped(field.split(".")[1] ?? field, fieldOf(part, field)).map((value) => withField(part, field, value))
