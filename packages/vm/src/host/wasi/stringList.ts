/** Passes a list of texts to the program as WASI does: a pointer for each, and all of them in one buffer. */
import { cString } from "../state/guestMemory.ts"
import type { HostState } from "../state/hostState.ts"
import { wasiFault } from "./wasiFault.ts"

/** Writes the number of texts and their total bytes. */
export const writeSizes = (state: HostState, texts: ReadonlyArray<string>, countAt: number, sizeAt: number): number => {
  const size = texts.reduce((total, text) => total + cString(text).length, 0)
  return state.memory.writeU32(countAt, texts.length) && state.memory.writeU32(sizeAt, size) ? 0 : wasiFault(state)
}

/** Writes pointer and text one after the other; everything before the first that is outside of memory stays written. */
export const writeTexts = (state: HostState, texts: ReadonlyArray<string>, pointersAt: number, bufferAt: number): number => {
  let pointer = pointersAt >>> 0
  let text = bufferAt >>> 0
  for (const bytes of texts.map(cString)) {
    const written = pointer <= 0xffff_ffff && text <= 0xffff_ffff && state.memory.writeU32(pointer, text) && state.memory.write(text, bytes)
    if (!written) return wasiFault(state)
    pointer += 4
    text += bytes.length
  }
  return 0
}
