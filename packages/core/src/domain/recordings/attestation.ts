/** A service's word that a recording is its own: a signature over the digests of all parts, and the time at which it was asked for. */
import { Schema } from "effect"
import { recordingFormat } from "../../contract/recordingFormat.ts"
import { fromHex, fromUtf8, toHex } from "../encoding/bytes.ts"
import { recoverSigner } from "../protocol/resultSignature.ts"
import { keccak256 } from "../encoding/keccak256.ts"

/** The last date that there is, ms since the Unix epoch. */
const lastDateMs = 8_640_000_000_000_000

const hex = (characters: number) => Schema.String.pipe(Schema.pattern(new RegExp(`^[0-9a-f]{${characters}}$`)))

/** The member of a signed recording beside its parts. */
export const RecordingAttestation = Schema.Struct({
  /** The key that has signed, SEC1 compressed. */
  signer: hex(66),
  /** When it has signed, ms since the Unix epoch: the service was asked for the recording then. */
  signedAtMs: Schema.Int.pipe(Schema.between(0, lastDateMs)),
  /** 65 bytes r‖s‖v. */
  signature: hex(130)
})
/** The member of a signed recording beside its parts. */
export type RecordingAttestation = typeof RecordingAttestation.Type

/**
 * The 32 bytes that are signed, for the JSON of a recording's digests. The text before the hash begins with the name of the format, so that
 * nothing else that the key signs can be taken for it.
 */
export const attestedDigest = (digestsJson: string, signedAtMs: number): Uint8Array =>
  keccak256(fromUtf8(`${recordingFormat} attestation\n${signedAtMs}\n${toHex(keccak256(fromUtf8(digestsJson)))}`))

/** The attestation that a signature is; undefined if it is none. */
export const attestationOf = (digest: Uint8Array, signedAtMs: number, signature: Uint8Array): RecordingAttestation | undefined => {
  const signer = recoverSigner(digest, signature)
  return signer === undefined ? undefined : { signer, signedAtMs, signature: toHex(signature) }
}

/** Whether the key that it names has signed these digests at this time. Whose key it is, only the reader can know. */
export const isAttested = ({ signature, signedAtMs, signer }: RecordingAttestation, digestsJson: string): boolean =>
  recoverSigner(attestedDigest(digestsJson, signedAtMs), fromHex(signature) ?? new Uint8Array()) === signer
