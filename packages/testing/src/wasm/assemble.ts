/** A small assembler: one Oracle Program from flat WebAssembly text, so that the kit's programs are readable. */
import { encodeModule } from "./encodeModule.ts"
import { hostImport } from "./hostImports.ts"
import { i32, signed, u32 } from "./instructions.ts"

/**
 * What follows an operator: nothing, a label to open, a branch target, a name, a number, or a memory offset; `fill` is the rest of
 * `memory.fill`, whose first byte is shared with other operators.
 */
type Operand = "none" | "opens" | "label" | "call" | "local" | "number" | "offset" | "memory" | "fill"

/** Operators by name: their byte, their operand, and the alignment of memory accesses. */
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
  "memory.grow": [0x40, "memory"],
  "memory.fill": [0xfc, "fill"]
}

const noResult = 0x40

/** A mistake in the text of a program. */
export class AssemblyFault extends Error {}

const imported = (name: string) => {
  const known = Object.values(hostImport).find((one) => one.name === name)
  if (known === undefined) throw new AssemblyFault(`nothing to import is called ${name}`)
  return known
}

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

/** The bytes of the operators, without the final `end`. */
const codeOf = ({ code, imports, locals }: Declared): ReadonlyArray<number> => {
  const labels: Array<string> = []
  const operandBytes = (kind: Operand, operand: string, alignment: number): ReadonlyArray<number> => {
    switch (kind) {
      case "none":
        return []
      case "opens":
        labels.unshift(operand)
        return [noResult]
      case "label":
        return u32(indexIn(labels, operand, "open label"))
      case "call":
        return u32(indexIn(imports, operand, "import"))
      case "local":
        return u32(indexIn(locals, operand, "local"))
      case "number":
        return signed(BigInt(Number(operand) | 0))
      case "offset":
        return [alignment, ...u32(Number(operand.replace("offset=", "")))]
      case "memory":
        return [0x00]
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
  return bytes
}

/**
 * Assembles one module. Lines: `import NAME`, `memory PAGES`, `data AT "text"`, `local NAME` (i32), and operators, one per line; `;;`
 * begins a comment. The operators are the body of `_start`; memory is exported. Throws {@link AssemblyFault}.
 */
export const assemble = (text: string): Uint8Array => {
  const declared = declare(text)
  const { data, imports, locals, pages } = declared
  return encodeModule({
    imports: imports.map(imported),
    functions: [{ localRuns: locals.length === 0 ? [] : [[locals.length, i32]], code: codeOf(declared) }],
    memory: pages,
    data: data.map(([offset, bytes]) => ({ offset, bytes: [...new TextEncoder().encode(bytes)] }))
  })
}
