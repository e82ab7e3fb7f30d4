/** SHA-256 of a few megabytes, after FIPS 180-4. */
import { give } from "./host"

const roundConstants = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
  0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
  0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
  0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
  0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
  0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
])
const initial = memory.data<u32>([0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19])
const state = memory.data(32)
const words = memory.data(256)

function compress(block: usize): void {
  for (let at = 0; at < 16; at++) store<u32>(words + at * 4, bswap(load<u32>(block + at * 4)))
  for (let at = 16; at < 64; at++) {
    const early = load<u32>(words + (at - 15) * 4)
    const late = load<u32>(words + (at - 2) * 4)
    const s0 = rotr(early, 7) ^ rotr(early, 18) ^ (early >>> 3)
    const s1 = rotr(late, 17) ^ rotr(late, 19) ^ (late >>> 10)
    store<u32>(words + at * 4, load<u32>(words + (at - 16) * 4) + s0 + load<u32>(words + (at - 7) * 4) + s1)
  }
  let a = load<u32>(state)
  let b = load<u32>(state + 4)
  let c = load<u32>(state + 8)
  let d = load<u32>(state + 12)
  let e = load<u32>(state + 16)
  let f = load<u32>(state + 20)
  let g = load<u32>(state + 24)
  let h = load<u32>(state + 28)
  for (let at = 0; at < 64; at++) {
    const sum1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)
    const one = h + sum1 + ((e & f) ^ (~e & g)) + load<u32>(roundConstants + at * 4) + load<u32>(words + at * 4)
    const sum0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)
    const two = sum0 + ((a & b) ^ (a & c) ^ (b & c))
    h = g
    g = f
    f = e
    e = d + one
    d = c
    c = b
    b = a
    a = one + two
  }
  store<u32>(state, load<u32>(state) + a)
  store<u32>(state + 4, load<u32>(state + 4) + b)
  store<u32>(state + 8, load<u32>(state + 8) + c)
  store<u32>(state + 12, load<u32>(state + 12) + d)
  store<u32>(state + 16, load<u32>(state + 16) + e)
  store<u32>(state + 20, load<u32>(state + 20) + f)
  store<u32>(state + 24, load<u32>(state + 24) + g)
  store<u32>(state + 28, load<u32>(state + 28) + h)
}

function run(): void {
  const size = 8 << 20
  const message = heap.alloc(size)
  for (let at = 0; at < size; at += 4) store<u32>(message + at, at * 2_654_435_761)
  memory.copy(state, initial, 32)
  for (let at = 0; at < size; at += 64) compress(message + at)
  give(load<u32>(state))
}

run()
