/** What checking an answer takes and gives, as plain types; a test holds them equal to those of the verifier itself. */
import type { SigningKey } from "./records.ts"

/** Whose signature is accepted: one key, those of networks, or the `keys` of `/info` with their times. Keys are 66 hex characters. */
export type TrustedSigner =
  | { readonly publicKey: string }
  | { readonly publicKeys: { readonly [network: string]: string }; readonly network?: string }
  | { readonly keys: ReadonlyArray<SigningKey>; readonly nowMs: number }

/** Whose signature is accepted, and what else is expected; what is absent is not checked. */
export type VerifyOptions = TrustedSigner & {
  /** Fixes everything: programs, inputs and gas limits. */
  readonly drId?: string
  readonly programId?: string
  readonly tallyProgramId?: string
  /** By the caller's clock; a result may be `maxAheadMs` (10,000) ahead of it. */
  readonly freshness?: { readonly nowMs: number; readonly maxAgeMs: number; readonly maxAheadMs?: number }
  /** Failed runs are signed too. */
  readonly requireSuccess?: boolean
}

/** The request that was signed for: bytes and whole numbers. */
export interface SignedRequest {
  readonly version: string
  readonly execProgramId: string
  readonly execInputs: Uint8Array
  readonly execGasLimit: bigint
  readonly tallyProgramId: string
  readonly tallyInputs: Uint8Array
  readonly tallyGasLimit: bigint
  readonly replicationFactor: number
  readonly consensusFilter: Uint8Array
  readonly gasPrice: bigint
  readonly memo: Uint8Array
}

/** The outcome that was signed: bytes and whole numbers. */
export interface SignedResult {
  readonly version: string
  readonly drId: string
  readonly consensus: boolean
  readonly exitCode: number
  readonly result: Uint8Array
  readonly blockHeight: bigint
  /** Milliseconds since the Unix epoch. */
  readonly blockTimestamp: bigint
  readonly gasUsed: bigint
  readonly paybackAddress: Uint8Array
  readonly servicePayload: Uint8Array
}

/** A valid answer. Read prices from here, not from the copies in the answer. */
export interface Verified {
  readonly ok: true
  readonly drId: string
  readonly resultId: string
  readonly publicKey: string
  readonly network: string | undefined
  readonly dataRequest: SignedRequest
  readonly dataResult: SignedResult
}

/** Why an answer is refused; docs/VERIFYING.md says what each one means. */
export type RefusalReason =
  | "notAResponse"
  | "malformed"
  | "unsupportedVersion"
  | "requestChanged"
  | "drIdChanged"
  | "drIdMismatch"
  | "signatureHighS"
  | "signatureV"
  | "signatureInvalid"
  | "wrongSigner"
  | "wrongNetwork"
  | "keyNotValid"
  | "copyChanged"
  | "wrongDrId"
  | "wrongProgram"
  | "notSuccessful"
  | "tooOld"
  | "fromTheFuture"
  | "badOption"

/** A refused answer: why, and at which field if that is known. */
export interface Refused {
  readonly ok: false
  readonly reason: RefusalReason
  readonly field: string | undefined
  readonly message: string
}

/** The outcome of a check. */
export type Verdict = Verified | Refused
