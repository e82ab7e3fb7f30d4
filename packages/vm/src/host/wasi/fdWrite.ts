/** `fd_write(fd, iovs, count, written)`: appends to stdout (1) or stderr (2). */
import { bothPhases, i32, type HostFunction } from "../state/hostFunction.ts"
import { callPrice, checkedLength, priceOfBytes } from "../state/hostPrices.ts"
import type { HostState } from "../state/hostState.ts"
import type { OutputStream } from "../state/outputStream.ts"
import { trap } from "../state/unwind.ts"
import { wasiFailure, wasiFault } from "./wasiFault.ts"

/** Execution refuses invalid UTF-8 in each call separately; tally checks the stream at the end. */
const textCheck = (state: HostState): ((bytes?: Uint8Array) => void) => {
  if (state.phase === "tally") return () => {}
  const decoder = new TextDecoder("utf-8", { fatal: true })
  return (bytes) => {
    try {
      decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (fault) {
      if (fault instanceof RangeError) throw fault
      trap("stream did not contain valid UTF-8")
    }
  }
}

/** The buffers are appended in order; those before one outside of memory stay written. */
const append = (state: HostState, stream: OutputStream, vectors: Uint8Array, writtenAt: number): number => {
  const view = new DataView(vectors.buffer, vectors.byteOffset, vectors.length)
  const check = textCheck(state)
  let total = 0
  for (let at = 0; at < vectors.length; at += 8) {
    const bytes = state.memory.view(view.getUint32(at, true), view.getUint32(at + 4, true))
    if (bytes === undefined) return wasiFault(state)
    check(bytes)
    stream.write(bytes)
    total += bytes.length
  }
  check()
  return state.memory.writeU32(writtenAt, total) ? 0 : wasiFault(state)
}

/** Charged by the number of buffers, not by their bytes. */
export const fdWrite: HostFunction = {
  family: "wasi",
  name: "fd_write",
  parameters: [i32, i32, i32, i32],
  results: [i32],
  phases: bothPhases,
  bind: (state) => (fd: number, vectorsAt: number, count: number, writtenAt: number) => {
    const buffers = checkedLength(state.phase, count)
    state.gas.charge(priceOfBytes(callPrice.wasi, buffers))
    const stream = fd === 1 ? state.stdout : fd === 2 ? state.stderr : undefined
    if (stream === undefined) return wasiFailure
    const vectors = buffers * 8 <= 0xffff_ffff ? state.memory.view(vectorsAt, buffers * 8) : undefined
    return vectors === undefined ? wasiFault(state) : append(state, stream, vectors, writtenAt)
  }
}
