/** Checks the signature of an answer. It is the verifier of the service, bundled with what it needs: nothing else is to be installed. */
import { evmAddressOf as addressOfKey, verify as verifyAnswer } from "@sibyl/core/verify"
import type { Verdict, VerifyOptions } from "./contract/verdict.ts"

export type {
  RefusalReason,
  Refused,
  SignedRequest,
  SignedResult,
  TrustedSigner,
  Verdict,
  Verified,
  VerifyOptions
} from "./contract/verdict.ts"

/** Whether an answer, a stored result, a report or a run of a feed is what the service signed. Never throws on parsed JSON. */
export const verify: (answer: unknown, options: VerifyOptions) => Verdict = verifyAnswer

/** The EVM address of a public key, `0x` and 40 lowercase hex characters, as contracts know the service; undefined if the key is invalid. */
export const evmAddressOf: (publicKey: string) => string | undefined = addressOfKey
