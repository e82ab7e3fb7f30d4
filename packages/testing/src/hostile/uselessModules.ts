/** Modules that are valid, large and of no use. */
import { end, i32 } from "../wasm/instructions.ts"
import { type Bomb, harmless, section, sectionName, times } from "./bomb.ts"

/** What is valid and useless. */
export const uselessModules: ReadonlyArray<Bomb> = [
  harmless("a custom section of 900 KB", { code: [], extra: [section(0, [...sectionName("x"), ...times(900_000, [0])])] }),
  harmless("500 KB of data", { memory: 8, code: [], data: [{ offset: 0, bytes: times(500_000, [1]) }] }),
  harmless("1,000 types", { code: [], types: Array.from({ length: 1_000 }, () => ({ parameters: [i32], results: [] })) }),
  harmless("2,000 functions that are not called", { code: [], functions: Array.from({ length: 2_000 }, () => ({ code: [] })) }),
  harmless("200 blocks inside each other", { code: [...times(200, [0x02, 0x40]), ...times(200, [end])] }),
  harmless("50,000 operators of nothing", { code: times(50_000, [0x01]) })
]
