/**
 * Rewrites one function body so that it pays with few operators. The gas is a local; what straight code owes is summed up
 * here and paid where ways part that cost differently, before anything that could see the gas, and at the end.
 */
import { BodyReader } from "../binary/bodyReader.ts"
import { moduleBounds } from "../binary/moduleBounds.ts"
import type { ByteRange, FunctionType } from "../binary/moduleShape.ts"
import { operator } from "../binary/operators.ts"
import { refuse } from "../binary/refusal.ts"
import { nothingNoted, type BodySurvey } from "./survey/bodySurvey.ts"
import type { ByteWriter } from "./byteWriter.ts"
import { writeCanonicalNan } from "./canonicalNan.ts"
import type { FastPlan } from "./fastPlan.ts"
import { FastFrames, type FastFrame } from "./fastFrames.ts"
import { blocksAround, writeLoopEnd, writeLoopHead } from "./fastLoop.ts"
import { FastLocals } from "./fastLocals.ts"
import { GasCode } from "./gasCode.ts"
import { role, roleOf } from "./survey/operatorRoles.ts"
import { oneByteUnits, unitsOf } from "./survey/prices.ts"

/** Appends the bodies of a module to a writer, one after another in their order. */
export class FastBody {
  readonly #plan: FastPlan
  readonly #body: BodyReader
  readonly #out: ByteWriter
  readonly #locals = new FastLocals()
  readonly #gas: GasCode
  readonly #frames = new FastFrames()
  readonly #units: Uint16Array
  #survey = nothingNoted
  /** Everything of the module before this byte was written or replaced. */
  #copied = 0
  /** Units that the code so far has not paid. */
  #owed = 0
  /** Whether the code here is never reached: it is copied, and pays nothing. */
  #dead = false
  #openLoops = 0

  constructor(plan: FastPlan, out: ByteWriter) {
    this.#plan = plan
    this.#out = out
    this.#body = new BodyReader(plan.module, plan.rules)
    this.#gas = new GasCode(out, this.#locals, plan)
    this.#units = oneByteUnits[plan.phase]
  }

  /** Appends the next body, metered, with its length. */
  write(range: ByteRange, survey: BodySurvey, type: FunctionType): void {
    const start = this.#out.open()
    this.#body.begin(range, type.parameters)
    this.#locals.declare(this.#out, this.#body, type.parameters.length, survey)
    this.#frames.begin(type, this.#plan.labels)
    this.#survey = survey
    this.#copied = this.#body.localsTo
    this.#owed = this.#openLoops = 0
    this.#dead = false
    this.#writeOperators(type)
    if (this.#out.close(start) > moduleBounds.meteredBodyBytes) refuse("bound", "function too large to be metered", range.from)
  }

  /** Writes all operators, those of the meter among them. */
  #writeOperators(type: FunctionType): void {
    const { mayRecur, stops, writeBlockType } = this.#plan
    if (mayRecur(this.#survey)) this.#gas.refillWhenShort()
    if (this.#survey.leavesEarly) {
      // Around the whole body, so that what leaves it early pays and gives back the gas in one place.
      this.#out.byte(operator.block)
      writeBlockType(this.#out, type)
    }
    while (!this.#body.ended) {
      stops.next()
      this.#owed += stops.passed * (this.#units[operator.drop] ?? 0)
      this.#body.skipTo(stops.from)
      this.#body.next()
      this.#operator(this.#body.operator)
    }
  }

  #operator(code: number): void {
    this.#owed += this.#units[code] ?? unitsOf(code, this.#plan.phase)
    switch (code) {
      case operator.localGet:
      case operator.localSet:
      case operator.localTee:
        if (this.#body.index === this.#locals.gas) this.#replaceIndex(this.#locals.displacedTo)
        return
      case operator.block:
      case operator.if:
        this.#plan.labels.next()
        this.#frames.open(this.#body, this.#owed, this.#dead, this.#plan.labels)
        return
      case operator.loop:
        return this.#openLoop()
      case operator.else:
        return this.#otherwise(this.#frames.at(0))
      case operator.end:
        return this.#frames.depth === 0 ? this.#finish() : this.#close(this.#frames.at(0))
      case operator.br:
        return this.#branch(this.#body.index)
      case operator.return:
        return this.#branch(this.#frames.depth)
      case operator.brIf:
        return this.#branchIf(this.#frames.at(this.#body.index))
      case operator.brTable:
        return this.#branchTable()
      case operator.unreachable:
        this.#dead = true
        return
      case operator.call:
        return this.#call()
      case operator.callIndirect:
        return this.#callIndirect()
      case operator.refFunc:
        return this.#replaceIndex(this.#plan.functionIndex(this.#body.index))
      default:
        return this.#prepare(code)
    }
  }

  /** What the meter does before an operator beside counting it. */
  #prepare(code: number): void {
    const work = roleOf(code)
    if (work !== role.none) this.#flush(this.#body.from)
    if (work === role.canonicaliseF32) writeCanonicalNan(this.#out, "f32", this.#locals.f32)
    else if (work === role.canonicaliseF64) writeCanonicalNan(this.#out, "f64", this.#locals.f64)
    else if (work === role.leaveBriefly) this.#gas.leaveWhereLong(code < operator.tableInit ? "bytes" : "entries")
  }

  /** Copies the untouched operators up to this byte. */
  #flush(to: number): void {
    this.#out.copy(this.#plan.module.bytes, this.#copied, to)
    this.#copied = to
  }

  /** Writes the current operator with another index. */
  #replaceIndex(index: number): void {
    if (index === this.#body.index) return
    this.#flush(this.#body.from)
    this.#out.indexed(this.#body.operator, index)
    this.#copied = this.#body.to
  }

  /** Pays before the current operator. */
  #pay(units: number): void {
    if (units === 0 || this.#dead) return
    this.#flush(this.#body.from)
    this.#gas.pay(units)
  }

  /** Pays for the way from here to a block's label, so that all that arrive there owe the same. */
  #payWayTo(frame: FastFrame): void {
    if (this.#dead) return
    frame.owedAtLabel ??= this.#owed
    this.#pay(this.#owed - frame.owedAtLabel)
  }

  #openLoop(): void {
    const { blockType, from, to } = this.#body
    const { labels, module } = this.#plan
    labels.next()
    if (labels.inTable) {
      this.#pay(this.#owed)
      this.#owed = 0
    }
    this.#openLoops += 1
    const added = this.#dead || blockType.parameters.length > 0 ? 0 : blocksAround(labels.copies)
    const frame = this.#frames.open(this.#body, this.#owed, this.#dead, labels, added)
    if (this.#dead) return
    this.#flush(added > 0 ? from : to)
    if (added === 0) return this.#gas.refillWhenShort()
    writeLoopHead(this.#out, this.#gas, frame, module.bytes, this.#body)
    this.#copied = to
  }

  #otherwise(frame: FastFrame): void {
    this.#payWayTo(frame)
    this.#owed = frame.owedAtStart
    this.#dead = frame.dead
  }

  #close(frame: FastFrame): void {
    if (frame.opener === operator.loop) {
      return this.#closeLoop(frame)
    }
    this.#payWayTo(frame)
    if (frame.skippable && frame.owedAtLabel !== frame.owedAtStart) {
      // The way past an `if` without `else` gets one, in which it pays what the label wants.
      this.#flush(this.#body.from)
      this.#out.byte(operator.else)
      this.#gas.pay(frame.owedAtStart - (frame.owedAtLabel ?? 0))
    }
    this.#dead = frame.dead || frame.owedAtLabel === undefined
    this.#owed = frame.owedAtLabel ?? 0
    this.#frames.close()
  }

  #closeLoop(frame: FastFrame): void {
    const { from, to } = this.#body
    this.#openLoops -= 1
    if (this.#frames.close() === 0) return
    this.#flush(from)
    writeLoopEnd(this.#out, frame, !this.#dead)
    this.#copied = to
  }

  /** The end of the function: it gives back its results and the gas. */
  #finish(): void {
    const { from, to } = this.#body
    if (this.#survey.leavesEarly) {
      const frame = this.#frames.at(0)
      this.#payWayTo(frame)
      this.#flush(from)
      this.#out.byte(operator.end)
      this.#owed = frame.owedAtLabel ?? 0
    } else this.#flush(from)
    this.#gas.left(this.#owed)
    this.#out.byte(operator.end)
    this.#copied = to
  }

  /** `br`, or `return` as a branch out of the whole body. */
  #branch(label: number): void {
    this.#payWayTo(this.#frames.at(label))
    this.#flush(this.#body.from)
    this.#out.indexed(operator.br, this.#frames.labelOf(label))
    this.#copied = this.#body.to
    this.#dead = true
  }

  #branchIf(frame: FastFrame): void {
    const { from, index, to } = this.#body
    const label = this.#frames.labelOf(index)
    if (this.#dead) return this.#replaceIndex(label)
    frame.owedAtLabel ??= this.#owed
    const difference = this.#owed - frame.owedAtLabel
    if (difference === 0 || frame.opener === operator.loop || frame.arity > 0 || this.#openLoops === 0) {
      this.#pay(difference)
      this.#owed = frame.owedAtLabel
      return this.#replaceIndex(label)
    }
    // Inside of a loop only the way out pays the difference.
    this.#flush(from)
    this.#out.bytes([operator.if, 0x40])
    this.#gas.pay(difference)
    this.#out.indexed(operator.br, label + 1)
    this.#out.byte(operator.end)
    this.#copied = to
  }

  #branchTable(): void {
    const { from, labels, to } = this.#body
    this.#pay(this.#owed)
    this.#dead = true
    if (this.#frames.at(0).added === 0) return
    this.#flush(from)
    this.#out.indexed(operator.brTable, labels.length - 1)
    for (const label of labels) this.#out.u32(this.#frames.labelOf(label))
    this.#copied = to
  }

  /** Passes the gas to a function; everything is paid first if the host could read it during the call. */
  #handGas(mayShow: boolean): void {
    const paysUp = mayShow && !this.#dead
    this.#gas.left(paysUp ? this.#owed : 0)
    if (paysUp) this.#owed = 0
  }

  #call(): void {
    const { from, index, to } = this.#body
    this.#flush(from)
    this.#handGas(this.#plan.observers.functions[index] === 1)
    this.#out.indexed(operator.call, this.#plan.functionIndex(index))
    this.#gas.take()
    this.#copied = to
  }

  #callIndirect(): void {
    const { from, index, table, tableIndexBytes, to } = this.#body
    const out = this.#out
    this.#flush(from)
    out.indexed(operator.localSet, this.#locals.i32)
    this.#handGas(this.#plan.observers.indirect)
    out.indexed(operator.localGet, this.#locals.i32)
    out.indexed(operator.callIndirect, this.#plan.typeIndex(index))
    out.u32(table)
    this.#gas.take()
    this.#copied = to
    this.#owed += this.#plan.longTableIndexUnits * (tableIndexBytes - 1)
  }
}
