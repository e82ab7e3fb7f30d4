/** Reads the operators of one function body and checks each against the module, the bounds and the phase's features. */
import { ByteReader } from "./byteReader.ts"
import { moduleBounds } from "./moduleBounds.ts"
import type { ByteRange, FeatureRules, FunctionType, ModuleShape } from "./moduleShape.ts"
import { immediate, immediates, operator, prefixedImmediates, widestAlignmentOf } from "./operators.ts"
import { refuseProposals } from "./proposals.ts"
import { refuse } from "./refusal.ts"
import { emptyBlock, shortBlockTypes } from "./shortBlockTypes.ts"
import { readReferenceType, readValueType, valueType, type ValueType } from "./valueType.ts"

/** Integers from here on take more than one byte. */
const firstLong = 0x80

/** A cursor over the operators of one body after another. After `next` its fields describe the operator just read. */
export class BodyReader extends ByteReader {
  /** The operator's code; 0xfc00 + number after the prefix 0xfc. */
  operator = 0
  /** Its first byte. */
  from = 0
  /**
   * Its first immediate if that is an index: of a function, type, local, global, table, label or segment; for loads and stores their
   * alignment. It means nothing after other operators.
   */
  index = 0
  /** Its table, if the operator names one beside another index. */
  table = 0
  /** The type that a `select` or `ref.null` names. */
  type: ValueType = valueType.i32
  /** The parameters and results of a block. */
  blockType: FunctionType = emptyBlock
  /** The labels of a `br_table`, its default last. */
  readonly labels: Array<number> = []
  /** The bytes that the table index of `call_indirect` takes. */
  tableIndexBytes = 0
  /** Locals that the body declares, parameters not counted. */
  declaredLocals = 0
  /** The groups of declared locals, without their count: bytes [localsFrom, localsTo) of the module. */
  localGroups = 0
  localsFrom = 0
  localsTo = 0
  /** How many locals there are, parameters included. */
  locals = 0
  /** The type of every local, parameters first; what lies behind the last is of other bodies. */
  localTypes = new Uint8Array(64)

  private readonly module: ModuleShape
  private readonly rules: FeatureRules
  private depth = 0
  /** By kind of immediate: an immediate of one byte that is less needs no other check. */
  private readonly shortLimits = new Uint8Array(256)

  /** Stands nowhere until `begin`. */
  constructor(module: ModuleShape, rules: FeatureRules) {
    super(module.bytes, 0, 0)
    this.module = module
    this.rules = rules
    this.limit(immediate.i32, firstLong)
    this.limit(immediate.function, module.functions.length)
    this.limit(immediate.global, module.globals.length)
  }

  /** Goes to the first operator of a body. */
  begin(body: ByteRange, parameters: ReadonlyArray<ValueType>): void {
    this.at = body.from
    this.end = body.to
    this.depth = 1
    this.locals = 0
    for (const type of parameters) this.addLocals(1, type)
    this.localGroups = this.count("local groups", moduleBounds.localsOfFunction)
    this.localsFrom = this.at
    this.readLocals()
    this.localsTo = this.at
    this.declaredLocals = this.locals - parameters.length
    this.limit(immediate.local, this.locals)
  }

  private limit(kind: number, size: number): void {
    this.shortLimits[kind] = Math.min(size, firstLong)
  }

  /** One past its last byte. */
  get to(): number {
    return this.at
  }

  /** Whether the function's final `end` was read. */
  get ended(): boolean {
    return this.depth === 0
  }

  /** Goes on at another operator of the same body, in the same blocks: what lies between was read before. */
  skipTo(at: number): void {
    this.at = at
  }

  /** Reads the next operator; false once the function's final `end` has been read. */
  next(): boolean {
    const { at, bytes } = this
    if (at >= this.end) return this.leave()
    const code = bytes[at] as number
    const kind = immediates[code] as number
    this.from = at
    this.operator = code
    if (kind === immediate.none) {
      this.at = at + 1
      return true
    }
    // Nearly all others have an index or a small constant of one byte.
    const byte = bytes[at + 1] as number
    if (byte < (this.shortLimits[kind] as number) && at + 1 < this.end) {
      this.index = byte
      this.at = at + 2
      return true
    }
    return this.readOther(code, kind)
  }

  /** Where there is no further operator. */
  private leave(): false {
    return this.ended ? false : refuse("malformed", "unexpected end", this.at)
  }

  private close(): void {
    this.depth -= 1
    if (this.ended && !this.done) refuse("malformed", "operators after the end of the function", this.at)
  }

  private readOther(code: number, kind: number): true {
    this.at += 1
    if (kind === immediate.end) this.close()
    else if (kind === immediate.memoryAccess) this.readMemoryAccess()
    else if (code === operator.prefix) this.readPrefixed()
    else this.readImmediate(kind)
    return true
  }

  private readLocals(): void {
    let declared = 0
    for (let left = this.localGroups; left > 0; left -= 1) {
      const at = this.at
      const count = this.u32()
      declared += count
      if (declared > moduleBounds.localsOfFunction) {
        refuse("bound", `too many locals: more than ${moduleBounds.localsOfFunction}`, at)
      }
      this.addLocals(count, readValueType(this))
    }
  }

  private addLocals(count: number, type: ValueType): void {
    const { locals } = this
    this.locals = locals + count
    if (this.locals > this.localTypes.length) {
      const larger = new Uint8Array(2 * this.locals)
      larger.set(this.localTypes)
      this.localTypes = larger
    }
    for (let at = locals; at < this.locals; at += 1) this.localTypes[at] = type
  }

  private readPrefixed(): void {
    const number = this.u32()
    const kind = prefixedImmediates[number]
    if (kind === undefined) refuse("malformed", `illegal operator 0xfc ${number}`, this.from)
    this.operator = 0xfc00 + number
    this.readImmediate(kind ?? immediate.none)
  }

  private readImmediate(kind: number): void {
    switch (kind) {
      case immediate.none:
        return
      case immediate.local:
        return this.readIndex(this.locals, "local")
      case immediate.i32:
        return this.skipSigned(32)
      case immediate.block:
        return this.openBlock()
      case immediate.label:
        return this.readIndex(this.depth, "label")
      case immediate.labels:
        return this.readLabels()
      case immediate.function:
        return this.readIndex(this.module.functions.length, "function")
      case immediate.typeAndTable:
        this.readIndex(this.module.types.length, "type")
        return this.readTable()
      case immediate.global:
        return this.readIndex(this.module.globals.length, "global")
      case immediate.table:
        return this.readIndex(this.module.tables.length, "table")
      case immediate.memory:
        return this.readMemoryIndex()
      case immediate.i64:
        return this.skipSigned(64)
      case immediate.f32:
        return this.skip(4)
      case immediate.f64:
        return this.skip(8)
      case immediate.types:
        return this.readSelectTypes()
      case immediate.reference:
        this.type = readReferenceType(this)
        return
      case immediate.dataAndMemory:
        this.checkData(this.u32())
        return this.readMemoryIndex()
      case immediate.data:
        return this.checkData(this.u32())
      case immediate.memoryPair:
        this.readMemoryIndex()
        return this.readMemoryIndex()
      case immediate.elementAndTable:
        this.readIndex(this.module.elements.length, "element segment")
        return this.readTable()
      case immediate.element:
        return this.readIndex(this.module.elements.length, "element segment")
      case immediate.tablePair:
        this.readIndex(this.module.tables.length, "table")
        return this.readTable()
      default:
        refuseProposals(this.operator, this.from)
        refuse("malformed", `illegal operator 0x${this.operator.toString(16)}`, this.from)
    }
  }

  private check(index: number, size: number, what: string): void {
    if (index >= size) refuse("invalid", `unknown ${what} ${index}`, this.from)
  }

  private readIndex(size: number, what: string): void {
    this.index = this.u32()
    this.check(this.index, size, what)
  }

  private readTable(): void {
    const at = this.at
    this.table = this.u32()
    this.tableIndexBytes = this.at - at
    this.check(this.table, this.module.tables.length, "table")
  }

  private checkData(segment: number): void {
    if (this.module.dataCount === undefined) refuse("malformed", "data count section required", this.from)
    this.check(segment, this.module.dataCount ?? 0, "data segment")
  }

  private openBlock(): void {
    const first = this.peek()
    const short = shortBlockTypes[first]
    if (short !== undefined) {
      this.skip(1)
      this.blockType = short
    } else if (first >= 0x40 && first < 0x80) readValueType(this)
    else this.readBlockTypeIndex()
    this.depth += 1
    if (this.depth > moduleBounds.nesting) refuse("bound", `blocks nest deeper than ${moduleBounds.nesting}`, this.from)
  }

  private readBlockTypeIndex(): void {
    const index = this.s33()
    if (!this.rules.multiValue) refuse("feature", "multi-value is not supported in this phase", this.from)
    if (index < 0) refuse("malformed", "malformed block type", this.from)
    this.check(index, this.module.types.length, "type")
    this.blockType = this.module.types[index] ?? emptyBlock
  }

  private readLabels(): void {
    this.labels.length = 0
    for (let left = this.count("branch targets", moduleBounds.branchTargets); left >= 0; left -= 1) {
      this.readIndex(this.depth, "label")
      this.labels.push(this.index)
    }
  }

  private readMemoryAccess(): void {
    const alignment = this.u32()
    this.index = alignment
    if (alignment >= 64 && alignment < 128) refuse("feature", "multiple memories are not supported", this.from)
    if (alignment >= 32) refuse("malformed", "malformed memop flags", this.from)
    this.u32()
    this.checkMemory()
    if (alignment > widestAlignmentOf(this.operator)) refuse("invalid", "alignment must not be larger than natural", this.from)
  }

  private readMemoryIndex(): void {
    if (this.byte() !== 0) refuse("feature", "multiple memories are not supported", this.from)
    this.checkMemory()
  }

  private checkMemory(): void {
    if (this.module.memory === undefined) refuse("invalid", "unknown memory 0", this.from)
  }

  private readSelectTypes(): void {
    if (this.u32() !== 1) refuse("invalid", "invalid result arity of select", this.from)
    this.type = readValueType(this)
  }
}
