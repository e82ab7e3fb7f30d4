/** A small assembler: one Oracle Program from flat WebAssembly text, so that the kit's programs can be read. */

/** What a program may import, with its module, parameters and results. */
const imports: Readonly<Record<string, readonly [module: string, parameters: number, results: number]>> = {
  args_get: ["wasi_snapshot_preview1", 2, 1],
  args_sizes_get: ["wasi_snapshot_preview1", 2, 1],
  call_result_write: ["seda_v1", 2, 0],
  environ_get: ["wasi_snapshot_preview1", 2, 1],
  environ_sizes_get: ["wasi_snapshot_preview1", 2, 1],
  execution_result: ["seda_v1", 2, 0],
  fd_write: ["wasi_snapshot_preview1", 4, 1],
  http_fetch: ["seda_v1", 2, 1],
  keccak256: ["seda_v1", 2, 1],
  proc_exit: ["wasi_snapshot_preview1", 1, 0],
  proxy_http_fetch: ["seda_v1", 2, 1],
  storage_delete: ["seda_v1", 2, 1],
  storage_read: ["seda_v1", 2, 1],
  storage_write: ["seda_v1", 2, 1]
}

/**
 * What stands after an operator: nothing, a label to open, a label to go to, a name, a number, or a memory offset; `fill`
 * is the rest of `memory.fill`, whose own byte it shares with other operators.
 */
type Operand = "none" | "opens" | "label" | "call" | "local" | "number" | "offset" | "fill"

/** Operators by name: their byte, their operand, and the alignment of those that reach memory. */
const operators: Readonly<Record<string, readonly [code: number, operand: Operand, alignment?: number]>> = {
  unreachable: [0x00, "none"],
  block: [0x02, "opens"],
  loop: [0x03, "opens"],
  if: [0x04, "opens"],
  end: [0x0b, "none"],
  br: [0x0c, "label"],
  br_if: [0x0d, "label"],
  return: [0x0f, "none"],
  call: [0x10, "call"],
  drop: [0x1a, "none"],
  "local.get": [0x20, "local"],
  "local.set": [0x21, "local"],
  "local.tee": [0x22, "local"],
  "i32.load": [0x28, "offset", 2],
  "i32.load8_u": [0x2d, "offset", 0],
  "i32.store": [0x36, "offset", 2],
  "i32.store8": [0x3a, "offset", 0],
  "i32.const": [0x41, "number"],
  "i32.eqz": [0x45, "none"],
  "i32.eq": [0x46, "none"],
  "i32.ne": [0x47, "none"],
  "i32.lt_u": [0x49, "none"],
  "i32.add": [0x6a, "none"],
  "i32.sub": [0x6b, "none"],
  "i32.mul": [0x6c, "none"],
  "i32.and": [0x71, "none"],
  "i32.or": [0x72, "none"],
  "i32.shl": [0x74, "none"],
  "i32.shr_u": [0x76, "none"],
  "memory.fill": [0xfc, "fill"]
}

/** The magic word and version 1. */
const preamble = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]
const i32 = 0x7f
const noResult = 0x40

/** The text is wrong: a fault of whoever wrote the program. */
export class AssemblyFault extends Error {}

const unsigned = (value: number): Array<number> =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(Math.floor(value / 0x80))]

const signed = (value: number): Array<number> =>
  value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]

const counted = (items: ReadonlyArray<ReadonlyArray<number>>): Array<number> => [
  ...unsigned(items.length),
  ...items.flat()
]
const sized = (bytes: ReadonlyArray<number>): Array<number> => [...unsigned(bytes.length), ...bytes]
const named = (name: string): Array<number> => sized([...new TextEncoder().encode(name)])
const section = (id: number, bytes: ReadonlyArray<number>): Array<number> => [id, ...sized(bytes)]
const values = (count: number): Array<number> => sized(Array.from({ length: count }, () => i32))

/** What the lines declare. */
interface Declared {
  readonly imports: Array<string>
  readonly locals: Array<string>
  readonly data: Array<readonly [at: number, text: string]>
  readonly code: Array<ReadonlyArray<string>>
  pages: number
}

const declare = (text: string): Declared => {
  const declared: Declared = { imports: [], locals: [], data: [], code: [], pages: 1 }
  for (const line of text.split("\n").map((raw) => raw.replace(/;;.*/, "").trim())) {
    const [word = "", operand = "", ...rest] = line.split(" ")
    if (word === "import") declared.imports.push(operand)
    else if (word === "local") declared.locals.push(operand)
    else if (word === "memory") declared.pages = Number(operand)
    else if (word === "data") declared.data.push([Number(operand), JSON.parse(rest.join(" ")) as string])
    else if (word !== "") declared.code.push([word, operand])
  }
  return declared
}

const indexIn = (names: ReadonlyArray<string>, name: string, what: string): number => {
  const index = names.indexOf(name)
  if (index < 0) throw new AssemblyFault(`no ${what} is called ${name}`)
  return index
}

const body = ({ code, imports, locals }: Declared): Array<number> => {
  const labels: Array<string> = []
  const operandBytes = (kind: Operand, operand: string, alignment: number): Array<number> => {
    switch (kind) {
      case "none":
        return []
      case "opens":
        labels.unshift(operand)
        return [noResult]
      case "label":
        return unsigned(indexIn(labels, operand, "open label"))
      case "call":
        return unsigned(indexIn(imports, operand, "import"))
      case "local":
        return unsigned(indexIn(locals, operand, "local"))
      case "number":
        return signed(Number(operand))
      case "offset":
        return [alignment, ...unsigned(Number(operand.replace("offset=", "")))]
      case "fill":
        return [0x0b, 0x00]
    }
  }
  const bytes = code.flatMap(([word = "", operand = ""]) => {
    const operator = operators[word]
    if (operator === undefined) throw new AssemblyFault(`no operator is called ${word}`)
    const [byte, kind, alignment = 0] = operator
    if (word === "end") labels.shift()
    return [byte, ...operandBytes(kind, operand, alignment)]
  })
  if (labels.length > 0) throw new AssemblyFault(`${labels[0]} has no end`)
  const declaredLocals = locals.length === 0 ? [0] : [1, ...unsigned(locals.length), i32]
  return sized([...declaredLocals, ...bytes, 0x0b])
}

/**
 * Assembles one module. Lines: `import NAME`, `memory PAGES`, `data AT "text"`, `local NAME` (i32), and operators, one
 * a line; `;;` begins a comment. The operators are the body of `_start`; memory is exported.
 * Throws {@link AssemblyFault}.
 */
export const assemble = (text: string): Uint8Array => {
  const declared = declare(text)
  const signatures = declared.imports.map((name) => {
    const signature = imports[name]
    if (signature === undefined) throw new AssemblyFault(`nothing to import is called ${name}`)
    return signature
  })
  const start = signatures.length
  return Uint8Array.from([
    ...preamble,
    ...section(
      1,
      counted(
        [...signatures, ["", 0, 0] as const].map(([, parameters, results]) => [
          0x60,
          ...values(parameters),
          ...values(results)
        ])
      )
    ),
    ...section(
      2,
      counted(
        signatures.map(([module], at) => [
          ...named(module),
          ...named(declared.imports[at] ?? ""),
          0x00,
          ...unsigned(at)
        ])
      )
    ),
    ...section(3, counted([unsigned(start)])),
    ...section(5, counted([[0x00, ...unsigned(declared.pages)]])),
    ...section(
      7,
      counted([
        [...named("memory"), 0x02, 0x00],
        [...named("_start"), 0x00, ...unsigned(start)]
      ])
    ),
    ...section(10, counted([body(declared)])),
    ...section(11, counted(declared.data.map(([at, bytes]) => [0x00, 0x41, ...signed(at), 0x0b, ...named(bytes)])))
  ])
}
