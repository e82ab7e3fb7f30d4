/** Valid modules of a kind that no program may be, and such as are larger than the bounds. */
import { encodeModule } from "../wasm/encodeModule.ts"
import { hostImport } from "../wasm/hostImports.ts"
import { drop, end, f32, i32, i32Const, i64, u32 } from "../wasm/instructions.ts"
import { type Bomb, type Code, refused, section, sectionName, started, times, vector } from "./bomb.ts"

const importing = (module: string, field: string, kind: Code): Uint8Array =>
  encodeModule({ functions: [{ code: [] }], extra: [section(2, [1, ...sectionName(module), ...sectionName(field), ...kind])] })

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
  refused("structures of the garbage collector", encodeModule({ functions: [], extra: [section(1, [1, 0x5f, 1, i32, 1])] })),
  refused(
    "a table of 20,000,000 places",
    encodeModule({ functions: [{ code: [] }], extra: [section(4, vector([[0x70, 0, ...u32(20_000_000)]]))] })
  ),
  refused("a function of 60,000 locals", encodeModule({ functions: [{ localRuns: [[60_000, i64]], code: [] }] }))
]
