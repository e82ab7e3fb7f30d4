/** A hostile program, and the parts that most of them are made of. */
import { encodeModule, type FunctionSource, type ModuleSource } from "../wasm/encodeModule.ts"
import { hostImport } from "../wasm/hostImports.ts"
import { call, drop, end, i32, i32Add, i32Const, localGet, localSet, u32 } from "../wasm/instructions.ts"

/**
 * How a run of it ends: `stopped` by the virtual machine, by its gas, a limit or a trap; `refused` before it starts; or `itself`, with any
 * exit code, having done nothing that the limits forbid.
 */
export type BombEnd = "stopped" | "refused" | "itself"

/** One hostile program. */
export interface Bomb {
  /** Of its own among all. */
  readonly name: string
  readonly program: Uint8Array
  readonly ends: BombEnd
}

/** Bytes of code. */
export type Code = ReadonlyArray<number>

/** So many copies. */
export const times = (count: number, code: Code | ((at: number) => Code)): Code =>
  Array.from({ length: count }, (_, at) => (typeof code === "function" ? code(at) : code)).flat()

/** An endless loop around the code, which leaves nothing behind. */
export const forever = (code: Code): Code => [0x03, 0x40, ...code, 0x0c, 0, end]

/** `count` turns of a loop; local 0 counts them. */
export const turns = (count: number, code: Code): Code => [
  ...i32Const(count),
  ...localSet(0),
  0x03,
  0x40,
  ...code,
  ...localGet(0),
  ...i32Const(-1),
  i32Add,
  0x22,
  0,
  0x0d,
  0,
  end
]

type HostName = keyof typeof hostImport

/** Parts of a program that calls its host. */
export interface Calling extends Omit<ModuleSource, "imports" | "functions"> {
  /** In the order of their indices. */
  readonly imports?: ReadonlyArray<HostName>
  readonly functions?: ReadonlyArray<FunctionSource>
  /** The body of `_start`, whose local 0 is an i32. */
  readonly code: Code
  readonly locals?: ReadonlyArray<number>
}

/** The last import of all: without one of its host, no program may be a tally program. */
const lastImport: HostName = "procExit"

/**
 * A module with a page of memory, whose `_start` is the last function. Its last import is `proc_exit`, added if it is not there, so that the
 * functions of a program without imports begin at index 1.
 */
export const program = ({ code, functions = [], imports = [], locals = [], ...rest }: Calling): Uint8Array =>
  encodeModule({
    memory: 1,
    ...rest,
    imports: (imports.includes(lastImport) ? imports : [...imports, lastImport]).map((name) => hostImport[name]),
    functions: [...functions, { locals: [i32, ...locals], code }]
  })

/** A bomb that the virtual machine stops. */
export const stopped = (name: string, calling: Calling): Bomb => ({ name, program: program(calling), ends: "stopped" })

/** A bomb that goes out by itself. */
export const harmless = (name: string, calling: Calling): Bomb => ({ name, program: program(calling), ends: "itself" })

/** A module that must not start. */
export const refused = (name: string, module: Uint8Array | Calling): Bomb => ({
  name,
  program: module instanceof Uint8Array ? module : program(module),
  ends: "refused"
})

/** `proc_exit(0)`, where that is import `index`. */
export const exitZero = (index: number): Code => [...i32Const(0), ...call(index)]

/** Calls import `index` with these numbers, and drops its answer. */
export const asking = (index: number, ...values: ReadonlyArray<number>): Code => [...values.flatMap(i32Const), ...call(index), drop]

/** UTF-8. */
export const textBytes = (text: string): Code => [...new TextEncoder().encode(text)]

/** `memory.fill(at, byte, length)`. */
export const fill = (at: number, byte: number, length: number): Code => [...[at, byte, length].flatMap(i32Const), 0xfc, 0x0b, 0]

/** `memory.grow`, its answer dropped. */
export const grow = (pages: number): Code => [...i32Const(pages), 0x40, 0, drop]

/** A section of these bytes. */
export const section = (id: number, content: Code): { readonly id: number; readonly content: Code } => ({ id, content })

/** A vector of encoded items. */
export const vector = (items: ReadonlyArray<Code>): Code => [...u32(items.length), ...items.flat()]

/** A name as sections have it: its length and its UTF-8. */
export const sectionName = (text: string): Code => [...u32(textBytes(text).length), ...textBytes(text)]

/** A module with a page of memory and nothing to import, whose `_start` has this code. */
export const started = (code: Code, more: Partial<ModuleSource> = {}): Uint8Array =>
  encodeModule({ memory: 1, ...more, functions: [{ locals: [i32], code }] })
