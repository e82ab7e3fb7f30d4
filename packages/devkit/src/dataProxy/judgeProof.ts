/** Decides, as a data proxy does, whether a request comes from an accepted service. */
import { fastProofDigest, readFastProof, recoverSigner } from "@sibyl/core/internal"

/** Proofs older than this are refused, in ms. */
export const maxProofAgeMs = 300_000

/** The clients that a proxy answers. */
export interface ProxyClients {
  /** Its network; a proof for another one is refused. */
  readonly chainId: string
  /** Compressed, 66 lowercase hex characters. */
  readonly allowedKeys: ReadonlyArray<string>
}

/** Why a request is refused: 400 for a missing or malformed proof, 401 for one that is not accepted. */
export interface ProofRefusal {
  readonly status: 400 | 401
  readonly message: string
}

/** Judges the header of a request at a time in ms; `undefined` accepts it. Proofs from the future are accepted. */
export const judgeProof = (header: string | undefined, { allowedKeys, chainId }: ProxyClients, nowMs: number): ProofRefusal | undefined => {
  const proof = header === undefined ? undefined : readFastProof(header)
  if (proof === undefined) return { status: 400, message: "the proof is missing or malformed" }
  if (proof.chainId !== undefined && proof.chainId !== chainId) {
    return { status: 400, message: `the proof is for the network ${proof.chainId}` }
  }
  if (nowMs - proof.timestampMs > maxProofAgeMs) return { status: 401, message: "the proof is too old" }
  const signer = recoverSigner(fastProofDigest(proof), proof.signature)
  return signer !== undefined && allowedKeys.includes(signer) ? undefined : { status: 401, message: "the proof is not by a known service" }
}
