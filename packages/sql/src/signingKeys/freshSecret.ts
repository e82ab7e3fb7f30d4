/** New secrets for signing. */
import type { Entropy } from "@sibyl/core"
import { fromBigEndian } from "@sibyl/core/internal"
import { type Context, Effect } from "effect"

/** The order of secp256k1's group (SEC 2, section 2.4.1); a secret is between 1 and the order minus one. */
const groupOrder = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n

const secretBytes = 32

/** Whether bytes are a secret. */
export const isSecret = (bytes: Uint8Array): boolean => {
  const value = fromBigEndian(bytes)
  return bytes.length === secretBytes && value > 0n && value < groupOrder
}

/** 32 random bytes that are a secret. */
export const freshSecret = (entropy: Context.Tag.Service<Entropy>): Effect.Effect<Uint8Array> =>
  Effect.repeat(entropy.bytes(secretBytes), { until: isSecret })
