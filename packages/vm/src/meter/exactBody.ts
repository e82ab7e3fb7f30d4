/** Rewrites one function body, already checked: charges before accounting operators, canonical NaN bits, a way out at bulk operators. */
import type { Phase } from "@sibyl/core"
import { BodyReader } from "../binary/bodyReader.ts"
import { moduleBounds } from "../binary/moduleBounds.ts"
import type { ByteRange, FeatureRules, FunctionType, ModuleShape } from "../binary/moduleShape.ts"
import { operator } from "../binary/operators.ts"
import { refuse } from "../binary/refusal.ts"
import { valueType } from "../binary/valueType.ts"
import { ByteWriter } from "./byteWriter.ts"
import { writeCanonicalNan } from "./canonicalNan.ts"
import { deepestLoop } from "./survey/chargePlaces.ts"
import { role, roleOf } from "./survey/operatorRoles.ts"
import { oneBytePrices, operatorPrices, priceOf, type OperatorPrices } from "./survey/prices.ts"

/** What the rewriter of bodies needs to know about the metered module. */
export interface ExactPlan {
  readonly module: ModuleShape
  readonly rules: FeatureRules
  readonly phase: Phase
  /** The global that holds the gas left in the current slice. */
  readonly gasGlobal: number
  /** The imported function that refills the slice, or ends the run. */
  readonly refill: number
  /** The function that takes gas from the slice: {@link writeCharge}. */
  readonly charge: number
  /** A charge with fewer loops around it is a call of that function; others stand in the code ({@link loopsAroundCharges}). */
  readonly leastLoops: number
  /** Where a function of the original module is now. */
  readonly functionIndex: (original: number) => number
}

/** Keeps what is on the stack as the gas of the slice, and refills that where it is short. */
const writeSlice = (out: ByteWriter, { gasGlobal, refill }: ExactPlan, local: number): void => {
  out.byte(operator.localTee)
  out.u32(local)
  out.byte(operator.globalSet)
  out.u32(gasGlobal)
  out.byte(operator.localGet)
  out.u32(local)
  out.bytes([operator.i64Const, 0, operator.i64LessSigned, operator.if, 0x40, operator.call])
  out.u32(refill)
  out.byte(operator.end)
}

/** Appends the body of the function, from an i64 to nothing, that charges call: gas -= price; if (gas < 0) refill(). */
export const writeCharge = (plan: ExactPlan, scratch: ByteWriter, code: ByteWriter): void => {
  scratch.clear()
  scratch.bytes([0, operator.globalGet])
  scratch.u32(plan.gasGlobal)
  scratch.bytes([operator.localGet, 0, operator.i64Sub])
  writeSlice(scratch, plan, 0)
  scratch.byte(operator.end)
  code.sized(scratch)
}

/** The type of that function. */
export const chargeType = [0x60, 1, valueType.i64, 0] as const

/** One body on its way from the module to the writer. */
class ExactBody {
  private readonly plan: ExactPlan
  private readonly body: BodyReader
  private readonly out: ByteWriter
  /** The scratch locals behind those of the program: one i64, one f32, one f64. */
  private readonly gasLocal: number
  /** Everything of the module before this byte was written or replaced. */
  private copied: number
  private readonly prices: OperatorPrices
  /** The bytes of a charge in the code, before and behind its price. */
  private readonly chargeHead: Uint8Array
  private readonly chargeTail: Uint8Array
  /** The open blocks, the function included: whether each is a loop. */
  private readonly open: Array<boolean> = [false]
  private openLoops = 0
  private owed = 0
  private floats = false

  constructor(plan: ExactPlan, body: BodyReader, out: ByteWriter) {
    this.plan = plan
    this.body = body
    this.out = out
    this.gasLocal = body.locals
    this.copied = body.localsTo
    this.prices = operatorPrices[plan.phase]
    this.chargeHead = this.encodeHead()
    this.chargeTail = this.encodeTail()
  }

  /** Writes the metered operators; tells whether float scratch locals are needed. */
  run(): boolean {
    const { body, plan } = this
    const table = oneBytePrices[plan.phase]
    while (body.next()) {
      const code = body.operator
      this.owed += table[code] ?? priceOf(code, this.prices)
      const work = roleOf(code)
      if (work === role.charge) this.charge()
      else if (work === role.canonicaliseF32) this.canonicalise("f32")
      else if (work === role.canonicaliseF64) this.canonicalise("f64")
      else if (work === role.leaveBriefly) this.leaveBriefly()
      if (code === operator.call || code === operator.refFunc) this.relocate()
      else if (code <= operator.end) this.track(code)
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
    writeSlice(tail, this.plan, this.gasLocal)
    return tail.written()
  }

  /** gas -= owed; if (gas < 0) refill() */
  private charge(): void {
    const { body, out } = this
    this.flush(body.from)
    if (Math.min(this.openLoops, deepestLoop) >= this.plan.leastLoops) {
      out.bytes(this.chargeHead)
      out.signed(this.owed)
      out.bytes(this.chargeTail)
    } else {
      out.byte(operator.i64Const)
      out.signed(this.owed)
      out.byte(operator.call)
      out.u32(this.plan.charge)
    }
    this.owed = body.operator === operator.callIndirect ? (body.tableIndexBytes - 1) * this.prices.longTableIndexByte : 0
  }

  /** Counts the open loops. */
  private track(code: number): void {
    const isLoop = code === operator.loop
    if (isLoop || code === operator.block || code === operator.if) this.open.push(isLoop)
    if (isLoop) this.openLoops += 1
    else if (code === operator.end && this.open.pop() === true) this.openLoops -= 1
  }

  private canonicalise(type: "f32" | "f64"): void {
    this.floats = true
    this.flush(this.body.from)
    writeCanonicalNan(this.out, type, this.gasLocal + (type === "f32" ? 1 : 2))
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
export const writeExactBody = (
  plan: ExactPlan,
  range: ByteRange,
  type: FunctionType,
  scratch: { readonly operators: ByteWriter; readonly body: ByteWriter },
  code: ByteWriter
): void => {
  const { body: whole, operators } = scratch
  whole.clear()
  operators.clear()
  const body = new BodyReader(plan.module, plan.rules)
  body.begin(range, type.parameters)
  const floats = new ExactBody(plan, body, operators).run()
  whole.u32(body.localGroups + (floats ? 3 : 1))
  whole.copy(plan.module.bytes, body.localsFrom, body.localsTo)
  whole.bytes([1, valueType.i64])
  if (floats) whole.bytes([1, valueType.f32, 1, valueType.f64])
  whole.bytes(operators.written())
  if (whole.length > moduleBounds.meteredBodyBytes) refuse("bound", "function too large to be metered", range.from)
  code.sized(whole)
}
