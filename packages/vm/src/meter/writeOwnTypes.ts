/** Copies the types that a program declares. */
import type { ModuleShape } from "../binary/moduleShape.ts"
import type { ByteWriter } from "./byteWriter.ts"

/** The entries of the type section, without their count. */
export const writeOwnTypes = (out: ByteWriter, { bytes, typeSection }: ModuleShape): void => {
  if (typeSection === undefined) return
  // After the count, which the module may have encoded in any length.
  let from = typeSection.from
  while ((bytes[from] ?? 0) >= 0x80) from += 1
  out.copy(bytes, from + 1, typeSection.to)
}
