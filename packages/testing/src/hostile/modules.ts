/** Modules that must not start: malformed, invalid, of another kind of WebAssembly, or larger than the bounds. */
import { encodeModule } from "../wasm/encodeModule.ts"
import { hostImport } from "../wasm/hostImports.ts"
import { call, drop, end, f32, i32, i32Const, i64, i64Const, localGet, u32 } from "../wasm/instructions.ts"
import { type Bomb, type Code, harmless, refused, section, textBytes, times, vector } from "./bomb.ts"

const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
const bytes = (...parts: ReadonlyArray<Code>): Uint8Array => Uint8Array.from(parts.flat())

const name = (text: string): Code => [...u32(textBytes(text).length), ...textBytes(text)]

/** `_start` of one function, in sections of one's own. */
const sections = (...parts: ReadonlyArray<readonly [id: number, content: Code]>): Uint8Array =>
  bytes(header, ...parts.map(([id, content]) => [id, ...u32(content.length), ...content]))

const noType: readonly [number, Code] = [1, [1, 0x60, 0, 0]]
const oneFunction: readonly [number, Code] = [3, [1, 0]]
const startExport: readonly [number, Code] = [7, [1, ...name("_start"), 0, 0]]
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

const started = (code: Code, more: Partial<Parameters<typeof encodeModule>[0]> = {}): Uint8Array =>
  encodeModule({ memory: 1, ...more, functions: [{ locals: [i32], code }] })

/** What the standard's rules of validation forbid. */
export const invalidModules: ReadonlyArray<Bomb> = [
  refused("an operand of another type", started([...i64Const(1n), 0x45, drop])),
  refused("an operand that is not there", started([0x6a, drop])),
  refused("an operand that is left over", started(i32Const(1))),
  refused("a branch to a label that is not there", started([0x0c, 9])),
  refused("a local that is not there", started([...localGet(99), drop])),
  refused("a function that is not there", started(call(99))),
  refused("a global that is not there", started([0x23, 5, drop])),
  refused("a change of a constant", started([...i32Const(1), 0x24, 0], { globals: [{ type: i32, mutable: false, initial: i32Const(0) }] })),
  refused("an else without an if", started([0x05])),
  refused("an if without an else that has a value", started([...i32Const(1), 0x04, i32, ...i32Const(1), end, drop])),
  refused("a type that is not there", started([...i32Const(0), 0x11, 77, 0], { table: [0] })),
  refused("memory that is not there", encodeModule({ functions: [{ code: [...i32Const(0), 0x28, 2, 0, drop] }] })),
  refused("an alignment that is too large", started([...i32Const(0), 0x28, 9, 0, drop])),
  refused("a limit below the least", encodeModule({ functions: [{ code: [] }], extra: [section(5, [1, 1, 5, 2])] })),
  refused("a data segment without memory", encodeModule({ functions: [{ code: [] }], data: [{ offset: 0, bytes: [1] }] })),
  refused("an export of a function that is not there", encodeModule({ functions: [], extra: [section(7, [1, ...name("_start"), 0, 3])] }))
]

const importing = (module: string, field: string, kind: Code): Uint8Array =>
  encodeModule({ functions: [{ code: [] }], extra: [section(2, [1, ...name(module), ...name(field), ...kind])] })

/** Valid modules that no program may be, and what is larger than the bounds. */
export const unsupportedModules: ReadonlyArray<Bomb> = [
  refused("no _start", encodeModule({ functions: [], memory: 1 })),
  refused("an unknown import", started([], { imports: [{ module: "env", name: "system", parameters: [i32], results: [i32] }] })),
  refused(
    "an import of another module's file functions",
    started([], { imports: [{ module: "wasi_snapshot_preview1", name: "path_open", parameters: [i32] }] })
  ),
  refused("an import with another type", started([], { imports: [{ ...hostImport.keccak256, parameters: [f32] }] })),
  refused("an imported memory", importing("env", "memory", [2, 0, 1])),
  refused("an imported global", importing("env", "global", [3, i32, 1])),
  refused("an imported table", importing("env", "table", [1, 0x70, 0, 1])),
  refused("memory of 65,536 pages", started([], { memory: 65_536 })),
  refused("two memories", encodeModule({ functions: [{ code: [] }], extra: [section(5, [2, 0, 1, 0, 1])] })),
  refused("memory with 64-bit addresses", encodeModule({ functions: [{ code: [] }], extra: [section(5, [1, 4, 1])] })),
  refused("shared memory", encodeModule({ functions: [{ code: [] }], extra: [section(5, [1, 3, 1, 2])] })),
  refused("vectors of 128 bits", started([0xfd, 12, ...times(16, [0]), drop])),
  refused("atomic accesses", started([...i32Const(0), 0xfe, 0x10, 2, 0, drop])),
  refused("exceptions", started([0x06, 0x40, 0x19, end])),
  refused("a tail call", started([0x12, 0])),
  refused("structures of the garbage collector", sections([1, [1, 0x5f, 1, i32, 1]], startExport)),
  refused(
    "a table of 20,000,000 places",
    encodeModule({ functions: [{ code: [] }], extra: [section(4, vector([[0x70, 0, ...u32(20_000_000)]]))] })
  ),
  refused("a function of 60,000 locals", encodeModule({ functions: [{ localRuns: [[60_000, i64]], code: [] }] }))
]

/** What is valid and useless. */
export const uselessModules: ReadonlyArray<Bomb> = [
  harmless("a custom section of 900 KB", { code: [], extra: [section(0, [...name("x"), ...times(900_000, [0])])] }),
  harmless("500 KB of data", { memory: 8, code: [], data: [{ offset: 0, bytes: times(500_000, [1]) }] }),
  harmless("1,000 types", { code: [], types: Array.from({ length: 1_000 }, () => ({ parameters: [i32], results: [] })) }),
  harmless("2,000 functions that are not called", { code: [], functions: Array.from({ length: 2_000 }, () => ({ code: [] })) }),
  harmless("200 blocks inside each other", { code: [...times(200, [0x02, 0x40]), ...times(200, [end])] }),
  harmless("50,000 operators of nothing", { code: times(50_000, [0x01]) })
]
