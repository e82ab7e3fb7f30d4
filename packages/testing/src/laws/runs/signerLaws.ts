/** The laws of the signer: what verifiers on any chain rely on. */
import { Signer } from "@sibyl/core"
import { recoverSigner } from "@sibyl/core/internal"
import { Effect, type Layer } from "effect"
import { holdsThat, isEqual, type Law, type LawBroken } from "../form/law.ts"
import { plainLaws } from "../form/plainLaws.ts"
import { lawBytes, lawStartMs } from "../form/stores.ts"

type Body = Effect.Effect<void, LawBroken, Signer>

/** Digests with a first byte of 0 and of 255, and some in between. */
const digests = Effect.map(
  Effect.all([0, 1, 127, 128, 255].map((first) => Effect.map(lawBytes(32), (bytes) => bytes.fill(first, 0, 1)))),
  (made) => [new Uint8Array(32).fill(1), ...made]
)

const signsTheDigest: Body = Effect.gen(function* () {
  const { publicKey, sign } = yield* Signer
  yield* holdsThat(/^0[23][0-9a-f]{64}$/.test(publicKey), "the public key is SEC1 compressed, in lowercase hex")
  for (const digest of yield* digests) {
    const signature = yield* sign(digest)
    yield* isEqual(signature.length, 65, "the length of r‖s‖v")
    yield* holdsThat(signature[64] === 0 || signature[64] === 1, "v is 0 or 1")
    // Refuses a high s.
    yield* isEqual(recoverSigner(digest, signature), publicKey, "the key that is recovered from the digest as it was given")
  }
})

const signsAtOnce: Body = Effect.gen(function* () {
  const { publicKey, sign } = yield* Signer
  const many = yield* Effect.all(Array.from({ length: 50 }, () => lawBytes(32)))
  const signed = yield* Effect.all(
    many.map((digest) => sign(digest)),
    { concurrency: "unbounded" }
  )
  for (const [at, digest] of many.entries()) {
    yield* isEqual(recoverSigner(digest, signed[at] ?? new Uint8Array()), publicKey, "the key of each of 50 at once")
  }
})

const leavesTheDigest: Body = Effect.gen(function* () {
  const { sign } = yield* Signer
  const digest = yield* lawBytes(32)
  const before = digest.slice()
  const signature = yield* sign(digest)
  const kept = signature.slice()
  digest.fill(0)
  yield* sign(before)
  yield* isEqual(signature, kept, "a signature after another one was made")
})

const signsWithTheKeyOfTheTime: Body = Effect.gen(function* () {
  const { publicKey, rotation, sign } = yield* Signer
  const digest = yield* lawBytes(32)
  for (const timestampMs of [lawStartMs, lawStartMs + 1]) {
    const key = rotation === undefined ? publicKey : yield* rotation.keyAt(timestampMs)
    yield* isEqual(recoverSigner(digest, yield* sign(digest, timestampMs)), key, "the key of the result's timestamp")
  }
  if (rotation === undefined) return
  const listed = yield* rotation.listed
  yield* holdsThat(
    listed.some((known) => known.publicKey === publicKey),
    "the key that signs now is listed"
  )
})

const bodies: Readonly<Record<string, Body>> = {
  "a signature is r‖s‖v with a low s, of the digest itself, by the key that is named": signsTheDigest,
  "fifty digests at once each get a signature of their own": signsAtOnce,
  "the caller's bytes and the signatures are nobody else's": leavesTheDigest,
  "a result is signed with the key of its timestamp, and that key is listed": signsWithTheKeyOfTheTime
}

/** The laws over a signer from `makeSigner`. */
export const signerLaws = (makeSigner: () => Layer.Layer<Signer>): ReadonlyArray<Law> => plainLaws(bodies, makeSigner)
