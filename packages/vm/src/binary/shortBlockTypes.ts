/** The types of blocks that take one byte. */
import type { FunctionType } from "./moduleShape.ts"
import { isValueType } from "./valueType.ts"

const noType = 0x40

/** The type of a block that takes and gives nothing. */
export const emptyBlock: FunctionType = { parameters: [], results: [] }

/** The types of blocks with at most one result and no parameters, by the byte that encodes them. */
export const shortBlockTypes: ReadonlyArray<FunctionType | undefined> = Array.from({ length: 256 }, (_, byte) =>
  byte === noType ? emptyBlock : isValueType(byte) ? { parameters: [], results: [byte] } : undefined
)
