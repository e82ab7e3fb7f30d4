/** Walks the operators of one function body and checks each against the module, the bounds and the phase's features. */
import { ByteReader } from "./byteReader.ts"
import { moduleBounds } from "./moduleBounds.ts"
import type { ByteRange, FeatureRules, ModuleShape } from "./moduleShape.ts"
import { immediate, immediates, operator, prefixedImmediates, proposalOf } from "./operators.ts"
import { refuse } from "./refusal.ts"
import { isValueType, readReferenceType, readValueType } from "./valueType.ts"

const noType = 0x40

/** A cursor over a body's operators. After `next` its fields describe the operator just read. */
export class BodyReader {
  /** The operator's code, 0xfc00 + number behind the prefix. */
  operator = 0
  /** Its bytes: [from, to). */
  from = 0
  to = 0
  /** The function index of `call` and `ref.func`, the type index of `call_indirect`. */
  index = 0
  /** The bytes that the table index of `call_indirect` takes. */
  tableIndexBytes = 0
  /** Locals that the body declares, parameters not counted. */
  readonly declaredLocals: number
  /** The groups of declared locals, without their count: bytes [localsFrom, localsTo) of the module. */
  readonly localGroups: number
  readonly localsFrom: number
  readonly localsTo: number

  private readonly module: ModuleShape
  private readonly rules: FeatureRules
  private readonly reader: ByteReader
  private readonly locals: number
  private depth = 1

  constructor(module: ModuleShape, rules: FeatureRules, body: ByteRange, parameters: number) {
    this.module = module
    this.rules = rules
    this.reader = new ByteReader(module.bytes, body.from, body.to)
    this.localGroups = this.reader.count("local groups", moduleBounds.localsOfFunction)
    this.localsFrom = this.reader.at
    this.declaredLocals = this.readLocals()
    this.localsTo = this.reader.at
    this.locals = parameters + this.declaredLocals
  }

  /** Reads the next operator; false once the function's final `end` was read. */
  next(): boolean {
    if (this.depth === 0) {
      if (!this.reader.done) refuse("malformed", "operators after the end of the function", this.reader.at)
      return false
    }
    this.from = this.reader.at
    const code = this.reader.byte()
    if (code === operator.prefix) this.readPrefixed()
    else {
      this.operator = code
      this.readImmediate(immediates[code] ?? immediate.unknown)
    }
    if (code === operator.end) this.depth -= 1
    this.to = this.reader.at
    return true
  }

  private readLocals(): number {
    let locals = 0
    for (let left = this.localGroups; left > 0; left -= 1) {
      const at = this.reader.at
      locals += this.reader.u32()
      if (locals > moduleBounds.localsOfFunction) {
        refuse("bound", `too many locals: more than ${moduleBounds.localsOfFunction}`, at)
      }
      readValueType(this.reader)
    }
    return locals
  }

  private readPrefixed(): void {
    const number = this.reader.u32()
    const kind = prefixedImmediates[number]
    if (kind === undefined) refuse("malformed", `illegal operator 0xfc ${number}`, this.from)
    this.operator = 0xfc00 + number
    this.readImmediate(kind ?? immediate.none)
  }

  private readImmediate(kind: number): void {
    const reader = this.reader
    switch (kind) {
      case immediate.none:
        return
      case immediate.block:
        return this.openBlock()
      case immediate.label:
        return this.checkLabel(reader.u32())
      case immediate.labels:
        return this.readLabels()
      case immediate.function:
        return this.readFunctionIndex()
      case immediate.typeAndTable:
        return this.readIndirectCall()
      case immediate.local:
        return this.check(reader.u32(), this.locals, "local")
      case immediate.global:
        return this.check(reader.u32(), this.module.globals.length, "global")
      case immediate.table:
        return this.check(reader.u32(), this.module.tables.length, "table")
      case immediate.memoryAccess:
        return this.readMemoryAccess()
      case immediate.memory:
        return this.readMemoryIndex()
      case immediate.i32:
        return reader.skipSigned(32)
      case immediate.i64:
        return reader.skipSigned(64)
      case immediate.f32:
        return reader.skip(4)
      case immediate.f64:
        return reader.skip(8)
      case immediate.types:
        return this.readSelectTypes()
      case immediate.reference:
        return void readReferenceType(reader)
      case immediate.dataAndMemory:
        this.checkData(reader.u32())
        return this.readMemoryIndex()
      case immediate.data:
        return this.checkData(reader.u32())
      case immediate.memoryPair:
        this.readMemoryIndex()
        return this.readMemoryIndex()
      case immediate.elementAndTable:
        this.check(reader.u32(), this.module.elements.length, "element segment")
        return this.check(reader.u32(), this.module.tables.length, "table")
      case immediate.element:
        return this.check(reader.u32(), this.module.elements.length, "element segment")
      case immediate.tablePair:
        this.check(reader.u32(), this.module.tables.length, "table")
        return this.check(reader.u32(), this.module.tables.length, "table")
      default:
        return this.refuseOperator()
    }
  }

  private refuseOperator(): never {
    const proposal = proposalOf(this.operator)
    return proposal === undefined
      ? refuse("malformed", `illegal operator 0x${this.operator.toString(16)}`, this.from)
      : refuse("feature", `${proposal} is not supported`, this.from)
  }

  private check(index: number, size: number, what: string): void {
    if (index >= size) refuse("invalid", `unknown ${what} ${index}`, this.from)
  }

  private checkLabel(label: number): void {
    if (label >= this.depth) refuse("invalid", `unknown label ${label}`, this.from)
  }

  private checkData(segment: number): void {
    if (this.module.dataCount === undefined) refuse("malformed", "data count section required", this.from)
    this.check(segment, this.module.dataCount ?? 0, "data segment")
  }

  private openBlock(): void {
    const reader = this.reader
    const first = reader.peek()
    if (first === noType || isValueType(first)) reader.skip(1)
    else if (first >= 0x40 && first < 0x80) readValueType(reader)
    else this.readBlockTypeIndex()
    this.depth += 1
    if (this.depth > moduleBounds.nesting) refuse("bound", `blocks nest deeper than ${moduleBounds.nesting}`, this.from)
  }

  private readBlockTypeIndex(): void {
    const index = this.reader.s33()
    if (!this.rules.multiValue) refuse("feature", "multi-value is not supported in this phase", this.from)
    if (index < 0) refuse("malformed", "malformed block type", this.from)
    this.check(index, this.module.types.length, "type")
  }

  private readLabels(): void {
    for (let left = this.reader.count("branch targets", moduleBounds.branchTargets); left > 0; left -= 1) {
      this.checkLabel(this.reader.u32())
    }
    this.checkLabel(this.reader.u32())
  }

  private readFunctionIndex(): void {
    this.index = this.reader.u32()
    this.check(this.index, this.module.functions.length, "function")
  }

  private readIndirectCall(): void {
    this.index = this.reader.u32()
    this.check(this.index, this.module.types.length, "type")
    const at = this.reader.at
    this.check(this.reader.u32(), this.module.tables.length, "table")
    this.tableIndexBytes = this.reader.at - at
  }

  private readMemoryAccess(): void {
    const alignment = this.reader.u32()
    if (alignment >= 64 && alignment < 128) refuse("feature", "multiple memories are not supported", this.from)
    if (alignment >= 32) refuse("malformed", "malformed memop flags", this.from)
    this.reader.u32()
    this.checkMemory()
  }

  private readMemoryIndex(): void {
    if (this.reader.byte() !== 0) refuse("feature", "multiple memories are not supported", this.from)
    this.checkMemory()
  }

  private checkMemory(): void {
    if (this.module.memory === undefined) refuse("invalid", "unknown memory 0", this.from)
  }

  private readSelectTypes(): void {
    if (this.reader.u32() !== 1) refuse("invalid", "invalid result arity of select", this.from)
    readValueType(this.reader)
  }
}
