/** From bytes to a program that can run: read, checked, metered, compiled. */
import type { Phase } from "@sibyl/core"
import type { FeatureRules, ModuleShape } from "../binary/moduleShape.ts"
import { readModule } from "../binary/readModule.ts"
import { verdictOf, type Verdict } from "../binary/refusal.ts"
import type { MeterOptions } from "../meter/build.ts"
import { meterExactly, meterModule, meterObserved } from "../meter/meterModule.ts"
import { linkFacts, type LinkFacts } from "./link.ts"

/** A compiled, metered program. It can be sent to other threads, where the engine shares the code. */
export interface PreparedProgram {
  /** The fast build. */
  readonly fast: WebAssembly.Module
  readonly link: LinkFacts
  /** Whether an instance that has run can be put back to its first state. */
  readonly restorable: boolean
  /** What the exact build is made of when a pass needs it. */
  readonly source: ProgramCode
  /** The exact build, once a pass in this thread has needed it. */
  exact?: WebAssembly.Module
}

/** A program's bytes, and for what they are metered. */
export interface ProgramCode {
  /** Over shared memory: threads that receive a prepared program share its bytes without a copy. */
  readonly bytes: Uint8Array
  readonly phase: Phase
  readonly memoryPages: number
}

/** A program, or why its bytes are none. */
export type Preparation = Verdict<PreparedProgram>

/** The features of each phase (decision D25). */
export const featureRules: Readonly<Record<Phase, FeatureRules>> = {
  exec: { multiValue: true },
  tally: { multiValue: false }
}

const optionsOf = ({ memoryPages, phase }: ProgramCode): MeterOptions => ({ phase, rules: featureRules[phase], memoryPages })

/** The fast build's bytes, and what linking them needs: everything that happens before an engine is involved. */
export const meterProgram = (
  bytes: Uint8Array,
  phase: Phase,
  memoryPages: number
): Verdict<{ readonly metered: Uint8Array<ArrayBuffer>; readonly link: LinkFacts; readonly restorable: boolean }> =>
  verdictOf(() => {
    const module = readModule(bytes, featureRules[phase])
    const metered = meterModule(module, optionsOf({ bytes, phase, memoryPages }))
    const link = linkFacts(module, phase, memoryPages)
    return { metered: metered.bytes, link, restorable: metered.restorable && (link.memory || module.memory === undefined) }
  })

/** The module of a program, as it is in the phase. */
export const readProgram = ({ bytes, phase }: ProgramCode): Verdict<ModuleShape> => verdictOf(() => readModule(bytes, featureRules[phase]))

const meteredBy = (meter: typeof meterObserved, source: ProgramCode): Verdict<Uint8Array<ArrayBuffer>> =>
  verdictOf(() => meter(readModule(source.bytes.slice(), featureRules[source.phase]), optionsOf(source)))

/** The exact build's bytes, of a program that was accepted; `leastLoops` as in `exactPlan`. */
export const meterProgramExactly = (source: ProgramCode, leastLoops?: number): Verdict<Uint8Array<ArrayBuffer>> =>
  meteredBy((module, options) => meterExactly(module, options, leastLoops), source)

const shared = (bytes: Uint8Array): Uint8Array => {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

/** Prepares a program for one phase. What the engine does not compile is refused like what we do not read. */
export const prepareProgram = (bytes: Uint8Array, phase: Phase, memoryPages: number): Preparation => {
  const metered = meterProgram(bytes, phase, memoryPages)
  if (!metered.accepted) return metered
  const { link, metered: code, restorable } = metered.value
  try {
    return {
      accepted: true,
      value: { fast: new WebAssembly.Module(code), link, restorable, source: { bytes: shared(bytes), phase, memoryPages } }
    }
  } catch (fault) {
    if (!(fault instanceof WebAssembly.CompileError)) throw fault
    return { accepted: false, refusal: { kind: "invalid", message: "the module does not validate" } }
  }
}

const compiled = (metered: Verdict<Uint8Array<ArrayBuffer>>): WebAssembly.Module => {
  if (!metered.accepted) throw new Error(`a program that was accepted is refused: ${metered.refusal.message}`)
  return new WebAssembly.Module(metered.value)
}

/** The exact build of a program, made once in each thread that needs it. */
export const exactModule = (program: PreparedProgram): WebAssembly.Module =>
  (program.exact ??= compiled(meterProgramExactly(program.source)))

/** The observed build of a program, made anew each time. */
export const observedModule = ({ source }: PreparedProgram): WebAssembly.Module => compiled(meteredBy(meterObserved, source))
