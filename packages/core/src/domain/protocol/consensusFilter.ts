/** Encodes and decodes the consensus filter of a data request (docs/OPERATING.md shows the bytes). */
import { concatBytes } from "@noble/hashes/utils.js"
import { fromBigEndian, fromUtf8, toBigEndian, toUtf8 } from "../encoding/bytes.ts"
import { type JsonPath, readJsonPath } from "../encoding/jsonPath.ts"

/** The integer types of a median filter, in the order of their numbers on the wire. */
export const filterNumberTypes = ["int32", "uint32", "int64", "uint64", "int128", "uint128", "int256", "uint256"] as const

/** An integer type of a median filter. */
export type FilterNumberType = (typeof filterNumberTypes)[number]

/** How reveals are compared. `sigmaMicros` is the sigma multiplier times 10^6. */
export type ConsensusFilter =
  | { readonly method: "none" }
  | { readonly method: "mode"; readonly jsonPath: string; readonly path: JsonPath }
  | {
      readonly method: "mad"
      readonly jsonPath: string
      readonly path: JsonPath
      readonly sigmaMicros: bigint
      readonly numberType: FilterNumberType
    }

/** Why filter bytes are invalid. */
export interface FilterFault {
  readonly message: string
}

const noneByte = 0
const modeByte = 1
const madByte = 2
const modeHeaderBytes = 9
const madHeaderBytes = 18

const pathFrom = (bytes: Uint8Array, lengthAt: number): { jsonPath: string; path: JsonPath } | FilterFault => {
  const rest = bytes.subarray(lengthAt + 8)
  if (fromBigEndian(bytes.subarray(lengthAt, lengthAt + 8)) !== BigInt(rest.length)) {
    return { message: "the path length differs from the bytes that follow" }
  }
  const jsonPath = toUtf8(rest)
  const path = jsonPath === undefined ? undefined : readJsonPath(jsonPath)
  return jsonPath === undefined || path === undefined ? { message: "the path is not a JSON path" } : { jsonPath, path }
}

/** Parses filter bytes. */
export const readConsensusFilter = (bytes: Uint8Array): ConsensusFilter | FilterFault => {
  switch (bytes[0]) {
    case noneByte:
      return { method: "none" }
    case modeByte: {
      if (bytes.length < modeHeaderBytes) return { message: `a mode filter has at least ${modeHeaderBytes} bytes` }
      const read = pathFrom(bytes, 1)
      return "message" in read ? read : { method: "mode", ...read }
    }
    case madByte: {
      if (bytes.length < madHeaderBytes) return { message: `a median filter has at least ${madHeaderBytes} bytes` }
      const numberType = filterNumberTypes[bytes[9] ?? filterNumberTypes.length]
      if (numberType === undefined) return { message: "the number type is unknown" }
      const sigmaMicros = fromBigEndian(bytes.subarray(1, 9))
      const read = pathFrom(bytes, 10)
      return "message" in read ? read : { method: "mad", sigmaMicros, numberType, ...read }
    }
    default:
      return { message: "the filter type is unknown" }
  }
}

/** Writes a filter; the inverse of {@link readConsensusFilter}. */
export const writeConsensusFilter = (filter: ConsensusFilter): Uint8Array => {
  if (filter.method === "none") return Uint8Array.of(noneByte)
  const path = fromUtf8(filter.jsonPath)
  const pathPart = concatBytes(toBigEndian(BigInt(path.length), 8), path)
  return filter.method === "mode"
    ? concatBytes(Uint8Array.of(modeByte), pathPart)
    : concatBytes(
        Uint8Array.of(madByte),
        toBigEndian(filter.sigmaMicros, 8),
        Uint8Array.of(filterNumberTypes.indexOf(filter.numberType)),
        pathPart
      )
}
