/** The drId, which identifies a data request: a hash of all its fields, as on the public network. */
import { concatBytes } from "@noble/hashes/utils.js"
import { fromHex, fromUtf8, toBigEndian, toHex } from "../encoding/bytes.ts"
import { memoized } from "../encoding/memoized.ts"
import type { DataRequest } from "./dataRequest.ts"
import { keccak256 } from "../encoding/keccak256.ts"

/** The version in every request and result of this protocol. */
export const protocolVersion = "0.0.1"

const raw = (hex: string): Uint8Array => fromHex(hex) ?? new Uint8Array()

const hashOf = (request: DataRequest): string =>
  toHex(
    keccak256(
      concatBytes(
        keccak256(fromUtf8(request.version)),
        raw(request.execProgramId),
        keccak256(request.execInputs),
        toBigEndian(request.execGasLimit, 8),
        raw(request.tallyProgramId),
        keccak256(request.tallyInputs),
        toBigEndian(request.tallyGasLimit, 8),
        toBigEndian(BigInt(request.replicationFactor), 2),
        keccak256(request.consensusFilter),
        toBigEndian(request.gasPrice, 16),
        keccak256(request.memo)
      )
    )
  )

/**
 * 64 lowercase hex characters: Keccak-256 of the 258 bytes of the fields, integers big-endian. The seven hashes take 70 µs and one run
 * needs the id several times (phases, signature, stores), so it is computed once per request.
 */
export const dataRequestIdOf: (request: DataRequest) => string = memoized(hashOf)
