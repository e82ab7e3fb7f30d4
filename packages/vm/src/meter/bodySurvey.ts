/** The first walk through a module's bodies: every operator is checked, and what the fast build has to know beforehand is noted. */
import { BodyReader } from "../binary/bodyReader.ts"
import { BodyValidator } from "../binary/bodyValidator.ts"
import { CompileCost } from "../binary/compileCost.ts"
import { moduleBounds } from "../binary/moduleBounds.ts"
import type { FeatureRules, FunctionType, ModuleShape } from "../binary/moduleShape.ts"
import { operator } from "../binary/operators.ts"
import { referableFunctions } from "../binary/referableFunctions.ts"
import { refuse } from "../binary/refusal.ts"
import { LabelNotes } from "./labelNotes.ts"
import { role, roleOf } from "./operatorRoles.ts"

/** What was noted of one body. */
export interface BodySurvey {
  /** The functions that it calls, each once, imported ones among them. */
  readonly callees: ReadonlySet<number>
  readonly callsIndirectly: boolean
  /** Whether it has operators that go over many bytes or entries. */
  readonly bulk: boolean
  /** Whether floats have to be made canonical somewhere. */
  readonly floats: boolean
  /** Whether anything leaves the function before its end. */
  readonly leavesEarly: boolean
}

/** What was noted of all bodies. */
export interface ModuleSurvey {
  readonly bodies: ReadonlyArray<BodySurvey>
  /** The blocks of all bodies, in the order in which they open; each function is a block itself. */
  readonly labels: LabelNotes
  /** The functions that `ref.func` names in a body. */
  readonly referred: ReadonlySet<number>
  /** Whether nothing of an instance but its memory and its globals can change. */
  readonly restorable: boolean
}

/** Operators that change tables or give segments up. */
const lasting: ReadonlySet<number> = new Set([
  operator.tableSet,
  operator.tableInit,
  operator.tableCopy,
  operator.tableGrow,
  operator.tableFill,
  operator.dataDrop,
  operator.elementDrop
])

const noType: FunctionType = { parameters: [], results: [] }

/** The type of a function of the module by its index. */
export const typeOf = (module: ModuleShape, index: number): FunctionType => module.types[module.functions[index] ?? -1] ?? noType

/** The walk through one body. */
class BodyWalk {
  readonly #body: BodyReader
  readonly #labels: LabelNotes
  readonly #referred: Set<number>
  readonly #callees = new Set<number>()
  /** The open blocks, by their place among the labels of the module. */
  readonly #open: Array<number> = []
  #callsIndirectly = false
  #bulk = false
  #floats = false
  #leavesEarly = false

  constructor(body: BodyReader, labels: LabelNotes, referred: Set<number>) {
    this.#body = body
    this.#labels = labels
    this.#referred = referred
    this.#open.push(labels.add())
  }

  note(): void {
    const { index, operator: code } = this.#body
    const work = roleOf(code)
    if (work === role.canonicaliseF32 || work === role.canonicaliseF64) this.#floats = true
    else if (work === role.leaveBriefly) this.#bulk = true
    switch (code) {
      case operator.block:
      case operator.loop:
      case operator.if:
        this.#open.push(this.#labels.add())
        return
      case operator.else:
        return this.#labels.noteElse(this.#open.at(-1) ?? 0)
      case operator.end:
        this.#open.pop()
        return
      case operator.br:
      case operator.brIf:
        return this.#branch(index)
      case operator.brTable:
        for (const label of this.#body.labels) {
          this.#branch(label)
          this.#labels.noteTable(this.#open.at(-1 - label) ?? 0)
        }
        return
      case operator.return:
        this.#leavesEarly = true
        return
      case operator.call:
        this.#callees.add(index)
        return
      case operator.callIndirect:
        this.#callsIndirectly = true
        return
      case operator.refFunc:
        this.#referred.add(index)
    }
  }

  #branch(label: number): void {
    if (label === this.#open.length - 1) this.#leavesEarly = true
  }

  survey(): BodySurvey {
    return {
      callees: this.#callees,
      callsIndirectly: this.#callsIndirectly,
      bulk: this.#bulk,
      floats: this.#floats,
      leavesEarly: this.#leavesEarly
    }
  }
}

/** Checks all bodies and notes what is in them. Refuses by leaving through `refuse`: call it inside of `verdictOf`. */
export const surveyBodies = (module: ModuleShape, rules: FeatureRules): ModuleSurvey => {
  const referable = referableFunctions(module)
  const cost = new CompileCost()
  const labels = new LabelNotes()
  const referred = new Set<number>()
  const bodies: Array<BodySurvey> = []
  let locals = 0
  let restorable = true
  for (const [at, range] of module.bodies.entries()) {
    const type = typeOf(module, module.importedFunctions + at)
    const body = new BodyReader(module, rules, range, type.parameters)
    const validator = new BodyValidator(module, body, type, referable, cost)
    const walk = new BodyWalk(body, labels, referred)
    while (body.next()) {
      validator.check()
      walk.note()
      if (lasting.has(body.operator)) restorable = false
    }
    locals += body.declaredLocals
    if (locals > moduleBounds.locals) refuse("bound", `too many locals: more than ${moduleBounds.locals}`, range.from)
    bodies.push(walk.survey())
  }
  return { bodies, labels, referred, restorable }
}
