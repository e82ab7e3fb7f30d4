/** Modules that are none, or contradict themselves. */
import { end, i64, u32 } from "../wasm/instructions.ts"
import { type Bomb, type Code, refused, sectionName, textBytes, times } from "./bomb.ts"

const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
const bytes = (...parts: ReadonlyArray<Code>): Uint8Array => Uint8Array.from(parts.flat())

/** `_start` of one function, in sections of one's own. */
const sections = (...parts: ReadonlyArray<readonly [id: number, content: Code]>): Uint8Array =>
  bytes(header, ...parts.map(([id, content]) => [id, ...u32(content.length), ...content]))

const noType: readonly [number, Code] = [1, [1, 0x60, 0, 0]]
const oneFunction: readonly [number, Code] = [3, [1, 0]]
const startExport: readonly [number, Code] = [7, [1, ...sectionName("_start"), 0, 0]]
const body = (...code: Code): readonly [number, Code] => [10, [1, ...u32(code.length + 2), 0, ...code, end]]

/** What is no module at all, or contradicts itself. */
export const malformedModules: ReadonlyArray<Bomb> = [
  refused("no bytes", new Uint8Array()),
  refused("three bytes of a header", bytes([0, 0x61, 0x73])),
  refused("text", bytes(textBytes('(module (func (export "_start")))'))),
  refused("a header with version 2", bytes([0, 0x61, 0x73, 0x6d, 2, 0, 0, 0])),
  refused("a component", bytes([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0])),
  refused("a header alone", bytes(header)),
  refused("a section that ends behind the file", bytes(header, [1, 100, 1, 0x60])),
  refused("a section with an unknown id", sections(noType, [99, [0]])),
  refused("sections out of order", sections(oneFunction, noType, startExport, body())),
  refused("a section twice", sections(noType, noType, oneFunction, startExport, body())),
  refused("functions without bodies", sections(noType, oneFunction, startExport)),
  refused("more bodies than functions", sections(noType, oneFunction, startExport, [10, [2, 2, 0, end, 2, 0, end]])),
  refused("a body that is longer than it says", sections(noType, oneFunction, startExport, [10, [1, 2, 0, 0x01, end]])),
  refused("a body without an end", sections(noType, oneFunction, startExport, [10, [1, 2, 0, 0x01]])),
  refused("a number of six bytes", bytes(header, [1, 0x80, 0x80, 0x80, 0x80, 0x80, 0])),
  refused("a number with unused bits", bytes(header, [1, 0xff, 0xff, 0xff, 0xff, 0x7f])),
  refused("an export whose name is no UTF-8", sections(noType, oneFunction, [7, [1, 2, 0xff, 0xfe, 0, 0]], body())),
  refused("an import whose name ends behind the section", sections(noType, [2, [1, 200, 0x61]])),
  refused("an unknown operator", sections(noType, oneFunction, startExport, body(0xff))),
  refused("4,294,967,295 types", bytes(header, [1, 5, 0xff, 0xff, 0xff, 0xff, 0x0f])),
  refused(
    "4,294,967,295 locals twice",
    sections(noType, oneFunction, startExport, [10, [1, 16, 2, ...times(2, [0xff, 0xff, 0xff, 0xff, 0x0f, i64]), 0x01, 0x01, end]])
  ),
  refused("a custom section without a name", bytes(header, [0, 0]))
]
