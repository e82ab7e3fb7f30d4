/** Programs that call themselves until the stack is full, or the gas is gone. */
import { call, drop, end, f64, f64Const, i32, i32Const, i64, localGet } from "../wasm/instructions.ts"
import { asking, type Bomb, type Code, stopped, times } from "./bomb.ts"

const bodyOf = (locals: ReadonlyArray<number>, code: Code) => ({ parameters: [i32], results: [i32], locals, code })

/** Programs that call themselves. */
export const recursive: ReadonlyArray<Bomb> = [
  stopped("a function that calls itself", { functions: [{ code: call(1) }], code: call(1) }),
  stopped("_start that calls itself", { code: call(1) }),
  stopped("a function with 1,000 locals that calls itself", {
    functions: [{ localRuns: [[1_000, i64]], code: [...call(1), ...times(1_000, (at) => [...localGet(at), 0x1a])] }],
    code: call(1)
  }),
  stopped("a function with 200 operands that calls itself", {
    functions: [bodyOf([], [...times(200, localGet(0)), ...call(1), ...times(199, [0x6a])])],
    code: [...i32Const(1), ...call(1), drop]
  }),
  stopped("two functions that call each other", { functions: [{ code: call(2) }, { code: call(1) }], code: call(1) }),
  stopped("a function that calls itself through a table", {
    functions: [{ code: [...i32Const(0), 0x11, 1, 0] }],
    table: [1],
    code: call(1)
  }),
  stopped("a recursion that ends in a host call", {
    imports: ["keccak256"],
    functions: [{ code: [...asking(0, 0, 32), ...call(2)] }],
    code: call(2)
  }),
  stopped("a tree of calls", { functions: [{ code: [...call(1), ...call(1)] }], code: call(1) }),
  stopped("a recursion with floating-point numbers", {
    functions: [{ parameters: [f64], results: [f64], code: [...localGet(0), ...f64Const(1.5), 0xa2, ...call(1)] }],
    code: [...f64Const(1), ...call(1), drop]
  }),
  stopped("the Ackermann function", {
    functions: [
      {
        parameters: [i32, i32],
        results: [i32],
        // m = 0: n + 1; n = 0: A(m - 1, 1); else A(m - 1, A(m, n - 1)).
        code: [
          ...localGet(0),
          0x45,
          0x04,
          0x7f,
          ...localGet(1),
          ...i32Const(1),
          0x6a,
          0x05,
          ...localGet(0),
          ...i32Const(-1),
          0x6a,
          ...localGet(1),
          0x45,
          0x04,
          0x7f,
          ...i32Const(1),
          0x05,
          ...localGet(0),
          ...localGet(1),
          ...i32Const(-1),
          0x6a,
          ...call(1),
          end,
          ...call(1),
          end
        ]
      }
    ],
    code: [...i32Const(4), ...i32Const(4), ...call(1), drop]
  })
]
