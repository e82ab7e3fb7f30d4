/** The first walk through a module's bodies: every operator is checked, and what the fast build needs to know in advance is noted. */
import { BodyReader } from "../../binary/bodyReader.ts"
import { BodyValidator } from "../../binary/bodyValidator.ts"
import { CompileCost } from "../../binary/compileCost.ts"
import { moduleBounds } from "../../binary/moduleBounds.ts"
import type { FeatureRules, FunctionType, ModuleShape } from "../../binary/moduleShape.ts"
import { operator } from "../../binary/operators.ts"
import { referableFunctions } from "../../binary/referableFunctions.ts"
import { refuse } from "../../binary/refusal.ts"
import { CallPairs } from "./callPairs.ts"
import { LabelNotes } from "./labelNotes.ts"
import { isLasting, role, roleOf } from "./operatorRoles.ts"
import { ShortLoops } from "./shortLoops.ts"
import { OperatorStops, stopKind, stopKindOf } from "./operatorStops.ts"

/** What was noted of one body. */
export interface BodySurvey {
  /** Whether it calls functions that have a body, by name. */
  readonly callsBodies: boolean
  readonly callsIndirectly: boolean
  /** Whether it has operators that go over many bytes or entries. */
  readonly bulk: boolean
  /** Whether floats have to be made canonical somewhere. */
  readonly floats: boolean
  /** Whether anything leaves the function before its end. */
  readonly leavesEarly: boolean
}

/** The notes of a body with none of these. */
export const nothingNoted: BodySurvey = { callsBodies: false, callsIndirectly: false, bulk: false, floats: false, leavesEarly: false }

/** What was noted of all bodies. */
export interface ModuleSurvey {
  readonly bodies: ReadonlyArray<BodySurvey>
  /** The blocks of all bodies, in the order in which they open; each function is a block itself. */
  readonly labels: LabelNotes
  /** The operators of all bodies at which the fast build has something to do, in their order. */
  readonly stops: OperatorStops
  /** Direct calls between functions. */
  readonly calls: CallPairs
  /** The functions that `ref.func` names in a body. */
  readonly referred: ReadonlySet<number>
  /** Whether only the memory and the globals of an instance can change. */
  readonly restorable: boolean
}

const noType: FunctionType = { parameters: [], results: [] }

/** The type of a function of the module by its index. */
export const typeOf = (module: ModuleShape, index: number): FunctionType => module.types[module.functions[index] ?? -1] ?? noType

const { none, whereDisplaced } = stopKind

/** The walk through all bodies. */
class BodyWalk {
  readonly #module: ModuleShape
  readonly #body: BodyReader
  readonly #labels = new LabelNotes()
  readonly #stops: OperatorStops
  readonly #shortLoops = new ShortLoops()
  readonly #calls: CallPairs
  readonly #referred = new Set<number>()
  /** The open blocks, by their place among the labels of the module; none between functions. */
  readonly #open: Array<number> = []
  #restorable = true
  #caller = 0
  /** The local that the fast build moves; the gas takes its place. */
  #displaced = 0
  #callsBodies = false
  #callsIndirectly = false
  #bulk = false
  #floats = false
  #leavesEarly = false

  constructor(module: ModuleShape, body: BodyReader) {
    this.#module = module
    this.#body = body
    this.#stops = new OperatorStops(module.bytes.length)
    this.#calls = new CallPairs(module.functions.length)
  }

  /** The reader stands at the first operator of this function. */
  begin(index: number, type: FunctionType): void {
    this.#caller = index
    this.#displaced = type.parameters.length
    this.#callsBodies = this.#callsIndirectly = this.#bulk = this.#floats = this.#leavesEarly = false
    this.#open.push(this.#labels.add())
    this.#shortLoops.begin(this.#body.locals)
  }

  /** Notes the operator that the reader has just read. */
  note(): void {
    const { index, operator: code } = this.#body
    const kind = stopKindOf(code)
    if (kind === none || (kind === whereDisplaced && index !== this.#displaced)) return this.#stops.pass()
    if (kind !== whereDisplaced) this.#noteWhatStops(code, index)
    this.#stops.add(this.#body.from)
  }

  #noteWhatStops(code: number, index: number): void {
    switch (code) {
      case operator.block:
      case operator.if:
        this.#open.push(this.#labels.add())
        return this.#shortLoops.openBlock()
      case operator.loop:
        return this.#openLoop()
      case operator.else:
        return this.#labels.noteElse(this.#open.at(-1) ?? 0)
      case operator.end:
        return this.#shortLoops.close(this.#body.from, this.#open.pop() ?? 0)
      case operator.br:
      case operator.brIf:
        return this.#branch(index)
      case operator.brTable:
        this.#shortLoops.barrier(this.#body.from)
        for (const label of this.#body.labels) {
          this.#branch(label)
          this.#labels.noteTable(this.#open.at(-1 - label) ?? 0)
        }
        return
      case operator.return:
        this.#leavesEarly = true
        return
      case operator.call:
        this.#shortLoops.barrier(this.#body.from)
        this.#calls.add(this.#caller, index)
        if (index >= this.#module.importedFunctions) this.#callsBodies = true
        return
      case operator.callIndirect:
        this.#shortLoops.barrier(this.#body.from)
        this.#callsIndirectly = true
        return
      case operator.refFunc:
        this.#referred.add(index)
        return
      default:
        return this.#noteWork(code)
    }
  }

  #noteWork(code: number): void {
    const work = roleOf(code)
    if (work === role.canonicaliseF32 || work === role.canonicaliseF64) this.#floats = true
    else if (work === role.leaveBriefly) {
      this.#bulk = true
      this.#shortLoops.barrier(this.#body.from)
    }
    if (isLasting(code)) this.#restorable = false
  }

  #openLoop(): void {
    const { blockType, from, to } = this.#body
    this.#open.push(this.#labels.add())
    this.#shortLoops.openLoop(from, to, blockType.parameters.length + blockType.results.length === 0)
  }

  #branch(label: number): void {
    if (label === this.#open.length - 1) this.#leavesEarly = true
  }

  /** What was noted of the function that has ended. */
  survey(): BodySurvey {
    return {
      callsBodies: this.#callsBodies,
      callsIndirectly: this.#callsIndirectly,
      bulk: this.#bulk,
      floats: this.#floats,
      leavesEarly: this.#leavesEarly
    }
  }

  /** What was noted of all, with what was noted of each. */
  whole(bodies: ReadonlyArray<BodySurvey>): ModuleSurvey {
    const { bodies: ranges } = this.#module
    this.#shortLoops.choose(this.#labels, (ranges.at(-1)?.to ?? 0) - (ranges[0]?.from ?? 0))
    return {
      bodies,
      labels: this.#labels,
      stops: this.#stops,
      calls: this.#calls,
      referred: this.#referred,
      restorable: this.#restorable
    }
  }
}

/** A function of its own, of which engines make one piece with all that most operators need. */
const walkOperators = (body: BodyReader, validator: BodyValidator, walk: BodyWalk): void => {
  while (body.next()) {
    validator.check()
    walk.note()
  }
}

/** Checks all bodies and notes what is in them. Refuses by leaving through `refuse`: call it inside of `verdictOf`. */
export const surveyBodies = (module: ModuleShape, rules: FeatureRules): ModuleSurvey => {
  const body = new BodyReader(module, rules)
  const validator = new BodyValidator(module, body, referableFunctions(module), new CompileCost())
  const walk = new BodyWalk(module, body)
  const bodies: Array<BodySurvey> = []
  let locals = 0
  for (const [at, range] of module.bodies.entries()) {
    const index = module.importedFunctions + at
    const type = typeOf(module, index)
    body.begin(range, type.parameters)
    validator.begin(type)
    walk.begin(index, type)
    walkOperators(body, validator, walk)
    locals += body.declaredLocals
    if (locals > moduleBounds.locals) refuse("bound", `too many locals: more than ${moduleBounds.locals}`, range.from)
    bodies.push(walk.survey())
  }
  return walk.whole(bodies)
}
