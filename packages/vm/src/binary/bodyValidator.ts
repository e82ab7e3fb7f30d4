/** Checks the types of one function body, reachable or not: the validation algorithm of the WebAssembly specification. */
import type { BodyReader } from "./bodyReader.ts"
import { type CompileCost } from "./compileCost.ts"
import { ControlFrames, labelTypes, sameTypes } from "./controlFrames.ts"
import type { FunctionType, ModuleShape } from "./moduleShape.ts"
import { waysInto, waysOfCall } from "./operatorCost.ts"
import { operator } from "./operators.ts"
import { anyType, OperandStack, type OperandType } from "./operandStack.ts"
import { contextual, prefixedSignatures, signatureOf, signatures } from "./operandTypes.ts"
import { refuse } from "./refusal.ts"
import { checkTableOperator } from "./tableOperators.ts"
import { valueType, type ValueType } from "./valueType.ts"

const noType: FunctionType = { parameters: [], results: [] }

const isReference = (type: OperandType): boolean => type === valueType.funcref || type === valueType.externref

/** The operands and blocks of one body after another, at the reader's position. After each `next` of the reader, `check` must be called once. */
export class BodyValidator {
  private readonly module: ModuleShape
  private readonly body: BodyReader
  private readonly cost: CompileCost
  /** The functions that `ref.func` may name. */
  private readonly referable: ReadonlySet<number>
  private readonly frames = new ControlFrames()
  private readonly operands = new OperandStack(this.frames)
  /** The signatures of the module's types, by index. */
  private readonly typeSignatures: Int32Array
  private tables = 0

  constructor(module: ModuleShape, body: BodyReader, referable: ReadonlySet<number>, cost: CompileCost) {
    this.module = module
    this.body = body
    this.cost = cost
    this.referable = referable
    this.typeSignatures = new Int32Array(module.types.map(signatureOf))
  }

  /** The reader stands at the first operator of a function of this type. */
  begin(type: FunctionType): void {
    this.operands.clear()
    this.frames.begin(type)
    this.cost.begin(this.body.locals)
  }

  /** How many values a compiler keeps here: locals, and operands on the stack. */
  get values(): number {
    return this.body.locals + this.operands.height
  }

  /** Checks the current operator of the reader. */
  check(): void {
    const { body, operands } = this
    const { operator: code } = body
    this.cost.operator(code, body.from)
    // Every third operator.
    if (code === operator.localGet) return operands.push(body.localTypes[body.index] as number)
    const signature = signatures[code] ?? contextual
    if (signature === contextual) return this.checkByContext(code)
    operands.apply(signature, body.from)
  }

  private checkByContext(code: number): void {
    const { body, module } = this
    switch (code) {
      case operator.localSet:
        this.cost.change(body.index, body.from)
        return this.pop(this.localType())
      case operator.localTee:
        this.cost.change(body.index, body.from)
        return this.replace(this.localType())
      case operator.globalGet:
        this.operands.push(module.globals[body.index]?.type ?? anyType)
        return
      case operator.globalSet:
        return this.setGlobal()
      case operator.drop:
        this.popAny()
        return
      case operator.select:
        return this.select()
      case operator.typedSelect:
        this.pop(valueType.i32)
        this.branches(1)
        this.pop(body.type)
        return this.replace(body.type)
      case operator.call:
        return this.call(module.functions[body.index] ?? -1)
      case operator.callIndirect:
        return this.callIndirect()
      case operator.refNull:
        this.operands.push(body.type)
        return
      case operator.refIsNull:
        if (!isReference(this.popAny() || valueType.funcref)) this.mismatch()
        this.operands.push(valueType.i32)
        return
      case operator.refFunc:
        if (!this.referable.has(body.index)) refuse("invalid", "undeclared function reference", body.from)
        this.operands.push(valueType.funcref)
        return
      case operator.memoryGrow:
        this.branches(waysOfCall)
        return this.replace(valueType.i32)
      case operator.tableGet:
      case operator.tableSet:
        this.branches(waysOfCall)
        return checkTableOperator(body, module, this.operands)
      default:
        return code > 0xff ? this.checkPrefixed(code) : this.checkControl(code)
    }
  }

  private checkControl(code: number): void {
    const { body, frames } = this
    switch (code) {
      case operator.block:
      case operator.loop:
        return this.open(code)
      case operator.if:
        this.pop(valueType.i32)
        return this.open(code)
      case operator.else:
        return this.otherwise()
      case operator.end:
        return this.close()
      case operator.br:
        this.branches(1)
        this.popAll(this.branchTo(body.index))
        return this.operands.endReach()
      case operator.brIf: {
        this.pop(valueType.i32)
        this.branches(2)
        const types = this.branchTo(body.index)
        this.popAll(types)
        return this.operands.pushAll(types)
      }
      case operator.brTable:
        return this.branchTable()
      case operator.return:
        this.branches(1)
        this.popAll(labelTypes(frames.at(frames.depth - 1)))
        return this.operands.endReach()
      default:
        return this.operands.endReach()
    }
  }

  private checkPrefixed(code: number): void {
    if (code >= operator.memoryInit) this.branches(waysOfCall)
    const signature = prefixedSignatures[code & 0xff] ?? contextual
    if (signature === contextual) checkTableOperator(this.body, this.module, this.operands)
    else this.operands.apply(signature, this.body.from)
  }

  private mismatch(): never {
    return refuse("invalid", "type mismatch", this.body.from)
  }

  private localType(): number {
    return this.body.localTypes[this.body.index] ?? anyType
  }

  private popAny(): OperandType {
    return this.operands.popAny(this.body.from)
  }

  private pop(expected: number): void {
    this.operands.pop(expected, this.body.from)
  }

  private replace(type: number): void {
    this.operands.replace(type, type, this.body.from)
  }

  private popAll(types: ReadonlyArray<ValueType>): void {
    this.operands.popAll(types, this.body.from)
  }

  /** Counts a place with this many successors. */
  private branches(ways: number): void {
    this.cost.place(ways, this.values, this.body.from)
  }

  /** The operands of a branch to this label. */
  private branchTo(label: number): ReadonlyArray<ValueType> {
    const frame = this.frames.at(label)
    if (frame.loop !== undefined) frame.loop.ways += 1
    return labelTypes(frame)
  }

  private open(code: number): void {
    const type = this.body.blockType
    this.branches(waysInto[code] ?? 1)
    this.popAll(type.parameters)
    this.frames.push(code, type, this.operands.height)
    if (code === operator.loop) this.frames.top.loop = this.cost.openLoop(type.parameters.length, this.body.from)
    this.operands.pushAll(type.parameters)
  }

  private otherwise(): void {
    const { top } = this.frames
    if (top.opener !== operator.if) refuse("invalid", "else without if", this.body.from)
    this.branches(1)
    this.popResults()
    top.opener = operator.else
    top.unreachable = false
    this.operands.pushAll(top.type.parameters)
  }

  private close(): void {
    const { top } = this.frames
    const { opener, type } = top
    this.branches(1)
    this.popResults()
    if (opener === operator.if && !sameTypes(type.parameters, type.results)) this.mismatch()
    if (opener === operator.loop) this.cost.closeLoop(this.body.from)
    this.frames.pop()
    this.operands.pushAll(type.results)
  }

  /** At the end of a block exactly its results must be on the stack. */
  private popResults(): void {
    const { top } = this.frames
    this.popAll(top.type.results)
    if (this.operands.height !== top.height) this.mismatch()
  }

  private branchTable(): void {
    const { body, frames } = this
    const { labels } = body
    this.pop(valueType.i32)
    this.branches(2 * labels.length)
    this.tables += 1
    const arity = labelTypes(frames.at(body.index)).length
    for (const label of labels) {
      const types = this.branchTo(label)
      const frame = frames.at(label)
      if (frame.lastTable === this.tables) continue
      frame.lastTable = this.tables
      if (types.length !== arity) this.mismatch()
      this.operands.checkTop(types, body.from)
    }
    this.operands.endReach()
  }

  private setGlobal(): void {
    const global = this.module.globals[this.body.index]
    if (global?.mutable !== true) refuse("invalid", "global is immutable", this.body.from)
    this.pop(global?.type ?? anyType)
  }

  /** `select` without a type is for numbers. */
  private select(): void {
    this.pop(valueType.i32)
    const second = this.popAny()
    const first = this.popAny()
    if (isReference(first) || isReference(second)) this.mismatch()
    if (first !== second && first !== anyType && second !== anyType) this.mismatch()
    // For the engines, choosing between floats is a branch.
    if (first === valueType.f32 || first === valueType.f64) this.branches(1)
    this.operands.push(first === anyType ? second : first)
  }

  private call(type: number): void {
    const { parameters, results } = this.module.types[type] ?? noType
    this.branches(waysOfCall)
    this.cost.passValues(parameters.length + results.length, this.body.from)
    const signature = this.typeSignatures[type] ?? contextual
    if (signature !== contextual) return this.operands.apply(signature, this.body.from)
    this.popAll(parameters)
    this.operands.pushAll(results)
  }

  private callIndirect(): void {
    const { body, module } = this
    if (module.tables[body.table]?.element !== valueType.funcref) this.mismatch()
    this.pop(valueType.i32)
    this.cost.indirectCall(body.from)
    this.call(body.index)
  }
}
