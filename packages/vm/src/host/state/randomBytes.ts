/** The program's random bytes: one stream per execution, the same on every replay of its tape. */
import { shake256 } from "@noble/hashes/sha3.js"

/** An endless stream of bytes derived from the seed (its SHAKE256). */
export const randomBytes = (seed: Uint8Array): ((length: number) => Uint8Array) => {
  const stream = shake256.create({}).update(seed)
  return (length) => stream.xof(length)
}
