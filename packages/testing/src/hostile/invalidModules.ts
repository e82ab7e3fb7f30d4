/** Modules that the rules of validation forbid. */
import { encodeModule } from "../wasm/encodeModule.ts"
import { call, drop, end, i32, i32Const, i64Const, localGet } from "../wasm/instructions.ts"
import { type Bomb, refused, section, sectionName, started } from "./bomb.ts"

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
  refused(
    "an export of a function that is not there",
    encodeModule({ functions: [], extra: [section(7, [1, ...sectionName("_start"), 0, 3])] })
  )
]
