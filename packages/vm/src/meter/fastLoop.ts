/**
 * A loop of the program in the fast build. Each iteration looks whether gas is short. The call that refills it stands in a loop of the
 * meter's around the program's, which is entered again for it: engines make better code of a loop that calls nothing.
 *
 *     loop
 *       refill when short
 *       loop                        when short, back to the one around it
 *         BODY
 *
 * A short loop has its body several times, and looks once for all of them:
 *
 *     block                         for what leaves the loop by its end
 *       loop
 *         refill when short
 *         loop                      when short, back to the one around it
 *           block BODY leave end    for each copy; a branch to the program's loop ends the block
 *           again
 */
import { operator } from "../binary/operators.ts"
import type { ByteWriter } from "./byteWriter.ts"
import type { FastFrame } from "./fastFrames.ts"
import type { GasCode } from "./gasCode.ts"

const emptyType = 0x40

/** How many blocks the meter puts around a body that is written so many times. */
export const blocksAround = (copies: number): number => (copies > 1 ? 3 : 1)

/** Begins a loop, whose operator and type are the bytes [from, to) of the module. */
export const writeLoopHead = (
  out: ByteWriter,
  gas: GasCode,
  frame: FastFrame,
  module: Uint8Array,
  { from, to }: { readonly from: number; readonly to: number }
): void => {
  const isRepeated = frame.copies > 1
  if (isRepeated) out.bytes([operator.block, emptyType])
  out.copy(module, from, to)
  gas.refillWhenShort()
  out.copy(module, from, to)
  gas.branchWhenShort(1)
  frame.writtenFrom = out.length
  if (isRepeated) out.bytes([operator.block, emptyType])
}

/** Ends a loop, and writes the other copies of its body. `isReached`: whether the body's end ever is. */
export const writeLoopEnd = (out: ByteWriter, { copies, writtenFrom }: FastFrame, isReached: boolean): void => {
  if (copies > 1) {
    if (isReached) out.bytes([operator.br, blocksAround(copies)])
    out.byte(operator.end)
    const to = out.length
    for (let copy = 1; copy < copies; copy += 1) out.again(writtenFrom, to)
    out.bytes([operator.br, 0, operator.end])
  }
  out.bytes([operator.end, operator.end])
}
