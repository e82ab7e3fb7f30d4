/** The result of a check: the signed values, or the first reason for a refusal. */
import type { DataRequest } from "../domain/protocol/dataRequest.ts"
import type { DataResult } from "../domain/protocol/dataResult.ts"

/** Why a response is refused. */
export type RefusalReason =
  /** It does not contain a request, a result and a signature. */
  | "notAResponse"
  /** A field is absent, has the wrong type or is out of range. */
  | "malformed"
  /** A record of another protocol version. */
  | "unsupportedVersion"
  /** The key signed this result, but for another request than the one shown. */
  | "requestChanged"
  /** With the drId of the request that is shown, the signature would be valid. */
  | "drIdChanged"
  /** Request and drId do not match, and the key signed neither. */
  | "drIdMismatch"
  /** The signature's s is in the upper half of the order, which on-chain verifiers refuse. */
  | "signatureHighS"
  /** The recovery id is not 0, 1, 27 or 28. */
  | "signatureV"
  /** No key could have made the signature. */
  | "signatureInvalid"
  /** Another key signed; a changed result or signature looks the same. */
  | "wrongSigner"
  /** The key of another network signed. */
  | "wrongNetwork"
  /** A key of the list signed, but not in its time. */
  | "keyNotValid"
  /** A copy outside of the signed part differs from the signed value. */
  | "copyChanged"
  /** Signed, but of another data request than expected. */
  | "wrongDrId"
  /** Signed, but of another program than expected. */
  | "wrongProgram"
  /** Signed, but the program failed or there was no consensus. */
  | "notSuccessful"
  /** Signed longer ago than allowed. */
  | "tooOld"
  /** Signed for a time in the future. */
  | "fromTheFuture"
  /** An expectation or key is missing or malformed. */
  | "badOption"

/** A valid response. Read prices from here, not from the copies in the response. */
export interface Verified {
  readonly ok: true
  /** 64 lowercase hex characters, derived from the request. */
  readonly drId: string
  /** 64 lowercase hex characters: the signed id. */
  readonly resultId: string
  /** The compressed key that signed, 66 lowercase hex characters. */
  readonly publicKey: string
  /** The name of that key's network; `undefined` if a single key was given without a network. */
  readonly network: string | undefined
  readonly dataRequest: DataRequest
  /** The signed outcome: `result` as bytes, `blockTimestamp` in milliseconds since the Unix epoch. */
  readonly dataResult: DataResult
}

/** A refused response. */
export interface Refused {
  readonly ok: false
  readonly reason: RefusalReason
  /** The path of the faulty field, such as `dataResult.drId`, if known. */
  readonly field: string | undefined
  /** The reason as text. */
  readonly message: string
}

/** The result of a check. */
export type Verdict = Verified | Refused

/** A refusal. */
export const refused = (reason: RefusalReason, message: string, field?: string): Refused => ({
  ok: false,
  reason,
  field,
  message
})
