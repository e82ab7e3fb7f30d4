/** Strict parsing of the signed part of a response: every field in its form and range, or the first that is not. */
import { fromHex, toHex } from "../domain/encoding/bytes.ts"
import { protocolVersion } from "../domain/protocol/dataRequestId.ts"
import type { DataRequest } from "../domain/protocol/dataRequest.ts"
import type { DataResult } from "../domain/protocol/dataResult.ts"
import { memberOf, sameJson } from "./jsonValue.ts"
import type { SignedParts } from "./signedParts.ts"
import { type Refused, refused } from "./verdict.ts"

/** Reads the fields of one record; the first fault is kept, and an invalid field gets a placeholder value. */
class FieldReader {
  fault: Refused | undefined
  readonly #record: unknown
  readonly #name: string
  constructor(record: unknown, name: string) {
    this.#record = record
    this.#name = name
  }

  refuse(field: string, rule: string): void {
    this.fault ??= refused("malformed", `${this.#name}.${field} must be ${rule}`, `${this.#name}.${field}`)
  }

  has(field: string): boolean {
    return memberOf(this.#record, field) !== undefined
  }

  bytes(field: string): Uint8Array {
    const text = memberOf(this.#record, field)
    const bytes = typeof text === "string" ? fromHex(text) : undefined
    if (bytes === undefined) this.refuse(field, "hex")
    return bytes ?? new Uint8Array()
  }

  id(field: string): string {
    const bytes = this.bytes(field)
    if (bytes.length !== 32) this.refuse(field, "64 hex characters")
    return toHex(bytes)
  }

  /** A decimal text. Its range is checked because only the low bits are hashed into the ids. */
  uint(field: string, bits: number): bigint {
    const text = memberOf(this.#record, field)
    // 39 digits hold every 128-bit integer; longer texts are not parsed.
    const value = typeof text === "string" && /^(?:0|[1-9][0-9]{0,38})$/.test(text) ? BigInt(text) : undefined
    if (value === undefined || value >> BigInt(bits) !== 0n) {
      this.refuse(field, `a decimal integer below 2^${bits}, as text`)
    }
    return value ?? 0n
  }

  int(field: string, max: number): number {
    const value = memberOf(this.#record, field)
    if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max) return value
    this.refuse(field, `an integer from 0 to ${max}`)
    return 0
  }

  bool(field: string): boolean {
    const value = memberOf(this.#record, field)
    if (typeof value !== "boolean") this.refuse(field, "true or false")
    return value === true
  }

  version(): string {
    const value = memberOf(this.#record, "version")
    if (typeof value !== "string") this.refuse("version", "text")
    if (value !== protocolVersion) {
      const field = `${this.#name}.version`
      this.fault ??= refused("unsupportedVersion", `${field} must be ${protocolVersion}`, field)
    }
    return protocolVersion
  }

  /** The payload under either of its names; if both are present, they must be equal. */
  payload(): Uint8Array {
    const names = ["servicePayload", "sedaPayload"].filter((name) => this.has(name))
    const [first = "servicePayload", second] = names
    const bytes = this.bytes(first)
    if (second !== undefined && !sameJson(toHex(bytes), toHex(this.bytes(second)))) {
      this.refuse(second, `the same as ${first}`)
    }
    return bytes
  }
}

const readRequest = (reader: FieldReader): DataRequest => ({
  version: reader.version(),
  execProgramId: reader.id("execProgramId"),
  execInputs: reader.bytes("execInputs"),
  execGasLimit: reader.uint("execGasLimit", 64),
  tallyProgramId: reader.id("tallyProgramId"),
  tallyInputs: reader.bytes("tallyInputs"),
  tallyGasLimit: reader.uint("tallyGasLimit", 64),
  replicationFactor: reader.int("replicationFactor", 0xffff),
  consensusFilter: reader.bytes("consensusFilter"),
  gasPrice: reader.uint("gasPrice", 128),
  memo: reader.bytes("memo")
})

const readResult = (reader: FieldReader): DataResult => ({
  version: reader.version(),
  drId: reader.id("drId"),
  consensus: reader.bool("consensus"),
  exitCode: reader.int("exitCode", 0xff),
  result: reader.bytes("result"),
  blockHeight: reader.uint("blockHeight", 64),
  blockTimestamp: reader.uint("blockTimestamp", 64),
  gasUsed: reader.uint("gasUsed", 128),
  paybackAddress: reader.bytes("paybackAddress"),
  servicePayload: reader.payload()
})

/** The signed part in the form from which the ids are derived. */
export interface SignedRecords {
  readonly dataRequest: DataRequest
  readonly dataResult: DataResult
  /** 65 bytes r‖s‖v. */
  readonly signature: Uint8Array
}

/** The records of a response, or the first malformed field. */
export const readRecords = (parts: SignedParts): SignedRecords | Refused => {
  const requestReader = new FieldReader(parts.dataRequest, "dataRequest")
  const dataRequest = readRequest(requestReader)
  if (requestReader.fault !== undefined) return requestReader.fault
  const resultReader = new FieldReader(parts.dataResult, "dataResult")
  const dataResult = readResult(resultReader)
  if (resultReader.fault !== undefined) return resultReader.fault
  const signature = typeof parts.signature === "string" ? fromHex(parts.signature) : undefined
  return signature?.length === 65
    ? { dataRequest, dataResult, signature }
    : refused("malformed", "the signature must be 130 hex characters: r, s and v", "signature")
}
