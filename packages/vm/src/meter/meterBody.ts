/** Rewrites one function body: charges before accounting operators, canonical NaN bits, a way out at bulk operators. */
import { BodyReader } from "../binary/bodyReader.ts"
import { moduleBounds } from "../binary/moduleBounds.ts"
import type { ByteRange, FeatureRules, ModuleShape } from "../binary/moduleShape.ts"
import { operator } from "../binary/operators.ts"
import { refuse } from "../binary/refusal.ts"
import { valueType } from "../binary/valueType.ts"
import type { ByteWriter } from "./byteWriter.ts"
import { isAccounting, priceOf, type OperatorPrices } from "./prices.ts"

/** What the rewriter of bodies needs to know about the metered module. */
export interface MeterPlan {
  readonly module: ModuleShape
  readonly rules: FeatureRules
  readonly prices: OperatorPrices
  /** The global that holds the gas left in the current slice. */
  readonly gasGlobal: number
  /** The imported function that refills the slice, or ends the run. */
  readonly refill: number
  /** Where a function of the original module is now. */
  readonly functionIndex: (original: number) => number
}

/** Operators whose time does not show in their gas: before each, the thread can be terminated on every engine. */
const bulk: ReadonlySet<number> = new Set([
  operator.memoryInit,
  operator.memoryCopy,
  operator.memoryFill,
  operator.tableInit,
  operator.tableCopy,
  operator.tableGrow,
  operator.tableFill
])

const f32CanonicalNan = [operator.f32Const, 0x00, 0x00, 0xc0, 0x7f]
const f64CanonicalNan = [operator.f64Const, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x7f]

/** The float operand on top of the stack whose bits the operator would show, by the operator. */
const observesFloat: ReadonlyMap<number, "f32" | "f64"> = new Map([
  [operator.f32Store, "f32"],
  [operator.f64Store, "f64"],
  [operator.f32Copysign, "f32"],
  [operator.f64Copysign, "f64"],
  [operator.i32ReinterpretF32, "f32"],
  [operator.i64ReinterpretF64, "f64"]
])

/** One body on its way from the module to the writer. */
class BodyMeter {
  private readonly plan: MeterPlan
  private readonly body: BodyReader
  private readonly out: ByteWriter
  /** The scratch locals behind those of the program: one i64, one f32, one f64. */
  private readonly gasLocal: number
  /** Everything of the module before this byte was written or replaced. */
  private copied: number
  private owed = 0
  private floats = false

  constructor(plan: MeterPlan, body: BodyReader, parameters: number, out: ByteWriter) {
    this.plan = plan
    this.body = body
    this.out = out
    this.gasLocal = parameters + body.declaredLocals
    this.copied = body.localsTo
  }

  /** Writes the metered operators; tells whether float scratch locals are needed. */
  run(): boolean {
    const { body, plan } = this
    while (body.next()) {
      this.owed += priceOf(body.operator, plan.prices)
      const observed = observesFloat.get(body.operator)
      if (isAccounting(body.operator)) this.charge()
      else if (observed !== undefined) this.canonicalise(observed)
      else if (bulk.has(body.operator)) this.leaveBriefly()
      this.relocate()
    }
    this.flush(body.to)
    return this.floats
  }

  /** Copies the untouched operators up to this byte. */
  private flush(to: number): void {
    this.out.copy(this.plan.module.bytes, this.copied, to)
    this.copied = to
  }

  /** gas -= owed; if (gas < 0) refill() */
  private charge(): void {
    const { out, plan } = this
    this.flush(this.body.from)
    out.byte(operator.globalGet)
    out.u32(plan.gasGlobal)
    out.byte(operator.i64Const)
    out.signed(this.owed)
    out.byte(operator.i64Sub)
    out.byte(operator.localTee)
    out.u32(this.gasLocal)
    out.byte(operator.globalSet)
    out.u32(plan.gasGlobal)
    out.byte(operator.localGet)
    out.u32(this.gasLocal)
    out.bytes([operator.i64Const, 0, operator.i64LessSigned, operator.if, 0x40, operator.call])
    out.u32(plan.refill)
    out.byte(operator.end)
    this.owed =
      this.body.operator === operator.callIndirect
        ? (this.body.tableIndexBytes - 1) * plan.prices.longTableIndexByte
        : 0
  }

  /** x = x == x ? x : the canonical NaN */
  private canonicalise(type: "f32" | "f64"): void {
    const { out } = this
    const local = this.gasLocal + (type === "f32" ? 1 : 2)
    this.floats = true
    this.flush(this.body.from)
    out.byte(operator.localTee)
    out.u32(local)
    out.bytes(type === "f32" ? f32CanonicalNan : f64CanonicalNan)
    out.byte(operator.localGet)
    out.u32(local)
    out.byte(operator.localGet)
    out.u32(local)
    out.byte(type === "f32" ? operator.f32Equal : operator.f64Equal)
    out.byte(operator.select)
  }

  private leaveBriefly(): void {
    this.flush(this.body.from)
    this.out.byte(operator.call)
    this.out.u32(this.plan.refill)
  }

  /** Function indices have moved by the import that the meter adds. */
  private relocate(): void {
    const { body, out } = this
    if (body.operator !== operator.call && body.operator !== operator.refFunc) return
    this.flush(body.from)
    out.byte(body.operator)
    out.u32(this.plan.functionIndex(body.index))
    this.copied = body.to
  }
}

/** Appends the metered body, with its length, to `code`. `scratch` is overwritten. */
export const meterBody = (
  plan: MeterPlan,
  range: ByteRange,
  parameters: number,
  scratch: { readonly operators: ByteWriter; readonly body: ByteWriter },
  code: ByteWriter
): number => {
  const { body: whole, operators } = scratch
  whole.clear()
  operators.clear()
  const body = new BodyReader(plan.module, plan.rules, range, parameters)
  const floats = new BodyMeter(plan, body, parameters, operators).run()
  whole.u32(body.localGroups + (floats ? 3 : 1))
  whole.copy(plan.module.bytes, body.localsFrom, body.localsTo)
  whole.bytes([1, valueType.i64])
  if (floats) whole.bytes([1, valueType.f32, 1, valueType.f64])
  whole.bytes(operators.written())
  if (whole.length > moduleBounds.meteredBodyBytes) refuse("bound", "function too large to be metered", range.from)
  code.sized(whole)
  return body.declaredLocals
}
