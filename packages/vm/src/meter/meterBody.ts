/** Checks and rewrites one function body: charges before accounting operators, canonical NaN bits, a way out at bulk operators. */
import type { Phase } from "@sibyl/core"
import { BodyReader } from "../binary/bodyReader.ts"
import { BodyValidator } from "../binary/bodyValidator.ts"
import type { CompileCost } from "../binary/compileCost.ts"
import { moduleBounds } from "../binary/moduleBounds.ts"
import type { ByteRange, FeatureRules, FunctionType, ModuleShape } from "../binary/moduleShape.ts"
import { operator } from "../binary/operators.ts"
import { refuse } from "../binary/refusal.ts"
import { valueType } from "../binary/valueType.ts"
import { ByteWriter } from "./byteWriter.ts"
import { role, roleOf } from "./operatorRoles.ts"
import { oneBytePrices, operatorPrices, priceOf, type OperatorPrices } from "./prices.ts"

/** What the rewriter of bodies needs to know about the metered module. */
export interface MeterPlan {
  readonly module: ModuleShape
  readonly rules: FeatureRules
  readonly phase: Phase
  /** The global that holds the gas left in the current slice. */
  readonly gasGlobal: number
  /** The imported function that refills the slice, or ends the run. */
  readonly refill: number
  /** Where a function of the original module is now. */
  readonly functionIndex: (original: number) => number
  /** The functions that a body may refer to by `ref.func`. */
  readonly referable: ReadonlySet<number>
  /** What the bodies so far cost to compile. */
  readonly cost: CompileCost
}

const f32CanonicalNan = [operator.f32Const, 0x00, 0x00, 0xc0, 0x7f]
const f64CanonicalNan = [operator.f64Const, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x7f]

/** One body on its way from the module to the writer. */
class BodyMeter {
  private readonly plan: MeterPlan
  private readonly body: BodyReader
  private readonly validator: BodyValidator
  private readonly out: ByteWriter
  /** The scratch locals behind those of the program: one i64, one f32, one f64. */
  private readonly gasLocal: number
  /** Everything of the module before this byte was written or replaced. */
  private copied: number
  private readonly prices: OperatorPrices
  /** The bytes of a charge before and behind its price. */
  private readonly chargeHead: Uint8Array
  private readonly chargeTail: Uint8Array
  private owed = 0
  private floats = false

  constructor(plan: MeterPlan, body: BodyReader, type: FunctionType, out: ByteWriter) {
    this.plan = plan
    this.body = body
    this.validator = new BodyValidator(plan.module, body, type, plan.referable, plan.cost)
    this.out = out
    this.gasLocal = body.localTypes.length
    this.copied = body.localsTo
    this.prices = operatorPrices[plan.phase]
    this.chargeHead = this.encodeHead()
    this.chargeTail = this.encodeTail()
  }

  /** Writes the metered operators; tells whether float scratch locals are needed. */
  run(): boolean {
    const { body, plan, validator } = this
    const table = oneBytePrices[plan.phase]
    while (body.next()) {
      validator.check()
      const code = body.operator
      this.owed += table[code] ?? priceOf(code, this.prices)
      const work = roleOf(code)
      if (work === role.charge) this.charge()
      else if (work === role.canonicaliseF32) this.canonicalise("f32")
      else if (work === role.canonicaliseF64) this.canonicalise("f64")
      else if (work === role.leaveBriefly) this.leaveBriefly()
      if (code === operator.call || code === operator.refFunc) this.relocate()
    }
    this.flush(body.to)
    return this.floats
  }

  /** Copies the untouched operators up to this byte. */
  private flush(to: number): void {
    this.out.copy(this.plan.module.bytes, this.copied, to)
    this.copied = to
  }

  private encodeHead(): Uint8Array {
    const head = new ByteWriter(8)
    head.byte(operator.globalGet)
    head.u32(this.plan.gasGlobal)
    head.byte(operator.i64Const)
    return head.written()
  }

  private encodeTail(): Uint8Array {
    const tail = new ByteWriter(32)
    tail.byte(operator.i64Sub)
    tail.byte(operator.localTee)
    tail.u32(this.gasLocal)
    tail.byte(operator.globalSet)
    tail.u32(this.plan.gasGlobal)
    tail.byte(operator.localGet)
    tail.u32(this.gasLocal)
    tail.bytes([operator.i64Const, 0, operator.i64LessSigned, operator.if, 0x40, operator.call])
    tail.u32(this.plan.refill)
    tail.byte(operator.end)
    return tail.written()
  }

  /** gas -= owed; if (gas < 0) refill() */
  private charge(): void {
    const { body, out } = this
    this.flush(body.from)
    out.bytes(this.chargeHead)
    out.signed(this.owed)
    out.bytes(this.chargeTail)
    this.owed = body.operator === operator.callIndirect ? (body.tableIndexBytes - 1) * this.prices.longTableIndexByte : 0
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
  type: FunctionType,
  scratch: { readonly operators: ByteWriter; readonly body: ByteWriter },
  code: ByteWriter
): number => {
  const { body: whole, operators } = scratch
  whole.clear()
  operators.clear()
  const body = new BodyReader(plan.module, plan.rules, range, type.parameters)
  const floats = new BodyMeter(plan, body, type, operators).run()
  whole.u32(body.localGroups + (floats ? 3 : 1))
  whole.copy(plan.module.bytes, body.localsFrom, body.localsTo)
  whole.bytes([1, valueType.i64])
  if (floats) whole.bytes([1, valueType.f32, 1, valueType.f64])
  whole.bytes(operators.written())
  if (whole.length > moduleBounds.meteredBodyBytes) refuse("bound", "function too large to be metered", range.from)
  code.sized(whole)
  return body.declaredLocals
}
