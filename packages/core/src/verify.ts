/** Checking a received response against a service's public key: plain functions for any runtime and browser. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { fromBigEndian, toHex } from "./domain/encoding/bytes.ts"
import { dataRequestIdOf } from "./domain/protocol/dataRequestId.ts"
import { dataResultIdOf } from "./domain/protocol/dataResultId.ts"
import { recoverSigner } from "./domain/protocol/resultSignature.ts"
import { changedCopy } from "./verify/copies.ts"
import { badExpectation, type Expectations, unmetExpectation } from "./verify/expectations.ts"
import { unknownOption } from "./verify/knownOptions.ts"
import { readRecords, type SignedRecords } from "./verify/readRecords.ts"
import { signedPartsOf } from "./verify/signedParts.ts"
import { type KnownKey, type KnownKeys, knownKeysOf, type TrustedSigner } from "./verify/trustedKeys.ts"
import { type Refused, refused, type Verdict } from "./verify/verdict.ts"

export type { DataRequest } from "./domain/protocol/dataRequest.ts"
export type { DataResult } from "./domain/protocol/dataResult.ts"
export { evmAddressOf } from "./verify/evmAddress.ts"
export type { Expectations, FreshnessLimits } from "./verify/expectations.ts"
export type { ListedSigner, TrustedSigner } from "./verify/trustedKeys.ts"
export type { RefusalReason, Refused, Verdict, Verified } from "./verify/verdict.ts"

/** The trusted keys, and what to expect of the response. */
export type VerifyOptions = TrustedSigner & Expectations

const halfOrder = secp256k1.Point.CURVE().n / 2n

const signatureFault = (signature: Uint8Array): Refused | undefined => {
  if (![0, 1, 27, 28].includes(signature[64] ?? -1)) {
    return refused("signatureV", "the signature's last byte must be 0, 1, 27 or 28", "signature")
  }
  return fromBigEndian(signature.subarray(32, 64)) > halfOrder
    ? refused("signatureHighS", "the signature's s must be in the lower half of the order", "signature")
    : undefined
}

/** Which key signed, and the result id; if request and drId do not match, which of them the key did not sign. */
const signerOf = (
  { dataRequest, dataResult, signature }: SignedRecords,
  { keys, network }: KnownKeys
): { readonly key: KnownKey; readonly resultId: string } | Refused => {
  const resultId = dataResultIdOf(dataResult)
  const signer = recoverSigner(resultId, signature)
  const signedBy = (publicKey: string | undefined) => keys.filter((key) => key.publicKey === publicKey)
  const known = signedBy(signer)
  const drId = dataRequestIdOf(dataRequest)
  if (drId !== dataResult.drId) {
    if (known.length > 0) return refused("requestChanged", "another request was signed", "dataRequest")
    const mended = recoverSigner(dataResultIdOf({ ...dataResult, drId }), signature)
    return signedBy(mended).length > 0
      ? refused("drIdChanged", `the drId of this request is ${drId}`, "dataResult.drId")
      : refused("drIdMismatch", "the drId is not of this request, and this is not what was signed")
  }
  if (signer === undefined) return refused("signatureInvalid", "no key could have made this signature", "signature")
  const key = known.find((each) => network === undefined || each.network === network)
  if (key !== undefined) return { key, resultId: toHex(resultId) }
  return known[0] === undefined
    ? refused("wrongSigner", `signed by ${signer}, or changed after it was signed`)
    : refused("wrongNetwork", `signed by the key of ${known[0].network}, not of ${network}`)
}

/**
 * Whether a response is what the service signed. Accepts the parsed JSON of an execute response, a last result, an entry of the report
 * history, a `feed.result` or a JSON-RPC reply; derives drId and result id, checks the signature, compares the unsigned copies (`result` in
 * any encoding) with the signed values, then checks the expectations. Ids of the execution, logs, credits and `executedAt` are not signed
 * and not checked. Never throws on parsed JSON; options that it does not know, or whose value is `undefined`, are refused (`badOption`).
 */
export const verify = (response: unknown, options: VerifyOptions): Verdict => {
  const unknown = unknownOption(options)
  if (unknown !== undefined) return unknown
  const known = knownKeysOf(options)
  if ("ok" in known) return known
  const badOption = badExpectation(options)
  if (badOption !== undefined) return badOption
  const parts = signedPartsOf(response)
  if (parts === undefined) return refused("notAResponse", "no signed result is in this")
  const records = readRecords(parts)
  if ("ok" in records) return records
  const { dataRequest, dataResult, signature } = records
  const badSignature = signatureFault(signature)
  if (badSignature !== undefined) return badSignature
  const signer = signerOf(records, known)
  if ("ok" in signer) return signer
  const misfit = signer.key.misfitAt?.(Number(dataResult.blockTimestamp))
  if (misfit !== undefined) return refused("keyNotValid", misfit, "dataResult.blockTimestamp")
  const changed = changedCopy(parts, dataResult)
  if (changed !== undefined) return refused("copyChanged", `${changed.field} is not what was signed`, changed.field)
  const unmet = unmetExpectation(options, dataRequest, dataResult)
  if (unmet !== undefined) return unmet
  const { network, publicKey } = signer.key
  return { ok: true, drId: dataResult.drId, resultId: signer.resultId, publicKey, network, dataRequest, dataResult }
}
