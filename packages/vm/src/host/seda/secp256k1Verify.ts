/** `seda_v1.secp256k1_verify(msg, msgLen, sig, sigLen, key, keyLen) -> 0 | 1`: ECDSA over Keccak-256 of the message. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak256 } from "@sibyl/core/internal"
import { bothPhases, i32, i64, type HostFunction } from "../state/hostFunction.ts"
import { callPrice, gasPerByte } from "../state/hostPrices.ts"
import type { HostState } from "../state/hostState.ts"
import { negativeLength, outOfBounds, trap } from "../state/unwind.ts"

const order = secp256k1.Point.Fn.ORDER

const scalar = (bytes: Uint8Array): bigint => bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)

const isScalar = (value: bigint): boolean => value > 0n && value < order

/** 64 bytes r ‖ s, both in 1..n−1. */
const isSignature = (bytes: Uint8Array): boolean =>
  bytes.length === 64 && isScalar(scalar(bytes.subarray(0, 32))) && isScalar(scalar(bytes.subarray(32)))

/** SEC1: 33 bytes 02 or 03, or 65 bytes 04, on the curve. */
const isPublicKey = (bytes: Uint8Array): boolean => {
  const form = bytes[0]
  const rightForm = bytes.length === 33 ? form === 2 || form === 3 : bytes.length === 65 && form === 4
  return rightForm && secp256k1.utils.isValidPublicKey(bytes)
}

/** High-s signatures verify as false. Malformed input: a trap in tally, false in execution. */
const verify = (state: HostState, message: Uint8Array, signature: Uint8Array, key: Uint8Array): number => {
  if (!isPublicKey(key) || !isSignature(signature)) return state.phase === "tally" ? trap("signature error") : 0
  return secp256k1.verify(signature, keccak256(message), key, { prehash: false, lowS: true }) ? 1 : 0
}

/**
 * The bytes of all three lengths are charged. Tally multiplies modulo 2^64 as its reference does (so an absurd length may cost little), but
 * the price is never negative: gas cannot go down.
 */
const price = (state: HostState, lengths: bigint): bigint => {
  const full = callPrice.secp256k1Verify + gasPerByte * lengths
  return state.phase === "tally" ? BigInt.asUintN(64, full) : full
}

/** In tally a message length beyond 32 bits is truncated; in execution it can only be out of bounds. */
const readMessage = (state: HostState, pointer: number, length: bigint): Uint8Array => {
  if (state.phase === "exec" && length > 0xffff_ffffn) trap(outOfBounds)
  return state.memory.read(pointer, Number(BigInt.asUintN(32, length)))
}

/** Does not change the pending bytes. */
export const secp256k1Verify: HostFunction = {
  family: "seda_v1",
  name: "secp256k1_verify",
  parameters: [i32, i64, i32, i32, i32, i32],
  results: [i32],
  phases: bothPhases,
  bind: (state) => (message: number, messageLength: bigint, signature: number, signatureLength: number, key: number, keyLength: number) => {
    if (messageLength < 0n || signatureLength < 0 || keyLength < 0) trap(negativeLength)
    state.gas.charge(price(state, messageLength + BigInt(signatureLength) + BigInt(keyLength)))
    const messageBytes = readMessage(state, message, messageLength)
    const signatureBytes = state.memory.read(signature, signatureLength)
    return verify(state, messageBytes, signatureBytes, state.memory.read(key, keyLength))
  }
}
