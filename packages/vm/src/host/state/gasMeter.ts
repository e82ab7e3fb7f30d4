/** The gas of one pass: what the program holds in its global, what is kept back in reserve, what host calls cost. */
import { Unwind } from "./unwind.ts"

/** The most that a signed 64-bit global can hold. */
const mostGas = 2n ** 63n - 1n

/**
 * Gas goes to the program in slices of this much, because Bun cannot terminate a thread that never leaves
 * WebAssembly: asking for the next slice is a JavaScript call, and there both engines obey `worker.terminate()`.
 * Some 100 ms of plain operators in the execution phase (a second of slow ones), 10 ms in the tally phase; a short loop, whose branches are what it
 * pays for, uses a slice up in some 50 µs.
 */
const sliceGas = 200_000_000_000n

/** The exported global of a metered program: units of gas left in the slice, negative when the slice did not suffice. */
export interface GasGlobal {
  value: bigint
}

/** Counts the gas of one pass. `remaining` is exact whenever the host has control. */
export class GasMeter {
  private global: GasGlobal = { value: 0n }
  private reserve = 0n
  private granted = 0n
  private readonly limit: bigint
  private readonly startup: bigint
  private readonly gasPerUnit: bigint
  private readonly sliceUnits: bigint
  /** Whether an operator could not be paid. */
  exhausted = false

  /** `limit` is the phase's, `startup` the part of it that is spent before the first operator; the global counts units. */
  constructor(limit: bigint, startup: bigint, gasPerUnit = 1n) {
    this.limit = limit
    this.startup = startup
    this.gasPerUnit = gasPerUnit
    this.sliceUnits = sliceGas / gasPerUnit
  }

  /** Gives the program its gas, just before its first operator. */
  start(global: GasGlobal): void {
    const left = this.limit - this.startup
    // An i64 cannot hold more; nothing can spend that much either.
    this.granted = left > mostGas ? mostGas : left
    this.reserve = this.granted
    this.global = global
    global.value = 0n
    this.topUp()
  }

  /** What is left. */
  get remaining(): bigint {
    return this.global.value * this.gasPerUnit + this.reserve
  }

  /** What was spent, start-up included; the whole limit once an operator could not be paid. */
  get used(): bigint {
    return this.exhausted ? this.limit : this.usedAt(this.global.value)
  }

  /** What was spent while so much is left in the program's global. */
  usedAt(units: bigint): bigint {
    return this.startup + this.granted - (units * this.gasPerUnit + this.reserve)
  }

  /** Charges a host call. One that cannot be paid ends the program and costs nothing. */
  charge(cost: bigint): void {
    if (cost > this.remaining) throw new Unwind({ kind: "unpaidCall" })
    this.reserve -= cost
    if (this.reserve >= 0n) return
    // Whole units come back from the program; what is over stays in reserve.
    const units = (-this.reserve + this.gasPerUnit - 1n) / this.gasPerUnit
    this.global.value -= units
    this.reserve += units * this.gasPerUnit
  }

  /** Called by the program when its slice did not pay the code ahead, and, to leave WebAssembly, before bulk code. */
  readonly refill = (): void => {
    if (this.global.value >= 0n) return
    if (this.remaining < 0n) {
      this.exhausted = true
      throw new Unwind({ kind: "outOfGas" })
    }
    this.topUp()
  }

  private topUp(): void {
    const wanted = this.sliceUnits - this.global.value
    const affordable = this.reserve / this.gasPerUnit
    const given = wanted > affordable ? affordable : wanted
    this.reserve -= given * this.gasPerUnit
    this.global.value += given
  }
}
