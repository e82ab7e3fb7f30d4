/** Estimates what compiling a module costs the engines, while its code is read and before any engine sees it. */
import { moduleBounds } from "./moduleBounds.ts"
import { indirectCallCost, operatorCost, passedValueCost, placeCost, prefixedOperatorCost } from "./operatorCost.ts"
import { refuse } from "./refusal.ts"

/** An open loop. */
export interface OpenLoop {
  /** Its number among the loops of its function. */
  readonly opened: number
  /** The number of locals that change inside, and its parameters. */
  changed: number
  /** The number of entries: the first and each branch back. */
  ways: number
}

/** What a loop costs in which nothing changes. */
const loopCost = 32

/** What a loop costs for each one around it: the work of optimising compilers grows with the square of their depth. */
const costOfDepth = 2

/** This many entries of a loop double the price of each: the work of optimising compilers grows with their square. */
const waysThatDouble = 64

const { functionCode, functionLoops, moduleCode, moduleLoops } = moduleBounds

/** The bounds in the text of a refusal. */
const ofUnits = (ofFunction: number, ofModule: number): string => ` (more than ${ofFunction} or ${ofModule} units)`

const costOfPrefixed = (code: number): number => prefixedOperatorCost[code & 0xff] ?? 0

const tooMuchCode = (at: number): never =>
  refuse("bound", `too costly to compile: too much code in one function or in all${ofUnits(functionCode, moduleCode)}`, at)

/**
 * Counts two costs, for each function and for the module, and refuses a module at the operator that exceeds a bound:
 *
 * Code. A baseline compiler tracks the location of every local and operand, and copies all of it wherever control flow splits. So each such
 * place counts as many units as there are locals and operands, plus its own cost; every other operator counts what an optimising compiler
 * needs for it.
 *
 * The optimising compilers' work on a function grows with the square of its code. So the squares of all functions count together, and all of
 * them may cost what one function at its bound does: any number of them can become hot.
 *
 * Loops. At the head of a loop, an optimising compiler merges a value of each local that changes inside, for each entry. So each loop
 * counts its changed locals times its entries, and more if there are many entries or many loops around it.
 */
export class CompileCost {
  /** Units that the current function may still use, and its total. */
  private codeLeft = 0
  private codeAtFirst = 0
  private loopsLeft = 0
  private loopsAtFirst = 0
  /** Units that the previous functions left for the module. */
  private moduleCodeLeft: number = moduleBounds.moduleCode
  private moduleLoopsLeft: number = moduleBounds.moduleLoops
  private squaresLeft: number = moduleBounds.functionCode ** 2
  /** None are open between functions. */
  private readonly loops: Array<OpenLoop> = []
  /** For each local, the loop that was opened last when it changed; 0 if none was. */
  private changes = new Uint32Array(0)
  private opened = 0

  /** Begins a function. Locals include the parameters. */
  begin(locals: number): void {
    const used = this.used
    this.moduleCodeLeft -= used.code
    this.moduleLoopsLeft -= used.loops
    this.squaresLeft -= used.code ** 2
    this.codeAtFirst = this.codeLeft = Math.min(Math.floor(Math.sqrt(this.squaresLeft)), this.moduleCodeLeft)
    this.loopsAtFirst = this.loopsLeft = Math.min(moduleBounds.functionLoops, this.moduleLoopsLeft)
    this.opened = 0
    if (locals > this.changes.length) this.changes = new Uint32Array(2 * locals)
    else for (let local = 0; local < locals; local += 1) this.changes[local] = 0
  }

  /** The units of the current function so far. */
  get used(): { readonly code: number; readonly loops: number } {
    return { code: this.codeAtFirst - this.codeLeft, loops: this.loopsAtFirst - this.loopsLeft }
  }

  /** How many loops are open. */
  get openLoops(): number {
    return this.loops.length
  }

  /** Counts an operator at byte `at`, reachable or not. */
  operator(code: number, at: number): void {
    this.addCode(operatorCost[code] ?? costOfPrefixed(code), at)
  }

  /** Counts a place with `ways` successors and this many locals and operands. */
  place(ways: number, values: number, at: number): void {
    this.addCode(ways * (values + placeCost), at)
  }

  /** Counts what an indirect call costs beside a call. */
  indirectCall(at: number): void {
    this.addCode(indirectCallCost, at)
  }

  /** Counts the parameters or results of a call. */
  passValues(count: number, at: number): void {
    this.addCode(count * passedValueCost, at)
  }

  /** A loop opens. */
  openLoop(parameters: number, at: number): OpenLoop {
    this.addLoops(loopCost + costOfDepth * this.loops.length, at)
    this.opened += 1
    const loop = { opened: this.opened, changed: parameters, ways: 1 }
    this.loops.push(loop)
    return loop
  }

  /** The innermost loop closes. */
  closeLoop(at: number): void {
    const loop = this.loops.pop()
    if (loop !== undefined) this.addLoops((loop.changed + 1) * loop.ways * (1 + Math.floor(loop.ways / waysThatDouble)), at)
  }

  /** A local changes. */
  change(local: number, at: number): void {
    const { changes, loops } = this
    const last = changes[local] ?? 0
    for (let place = loops.length - 1; place >= 0; place -= 1) {
      const loop = loops[place]
      // This change was already counted for this loop and all enclosing ones.
      if (loop === undefined || loop.opened <= last) break
      loop.changed += 1
      this.addLoops(1, at)
    }
    changes[local] = this.opened
  }

  private addCode(units: number, at: number): void {
    this.codeLeft -= units
    if (this.codeLeft < 0) tooMuchCode(at)
  }

  private addLoops(units: number, at: number): void {
    this.loopsLeft -= units
    if (this.loopsLeft < 0)
      refuse("bound", `too costly to compile: too many values change in loops${ofUnits(functionLoops, moduleLoops)}`, at)
  }
}
