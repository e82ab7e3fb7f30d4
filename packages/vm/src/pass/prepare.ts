/** From bytes to a program that can run: read, checked, metered, compiled. */
import type { Phase } from "@sibyl/core"
import type { FeatureRules } from "../binary/moduleShape.ts"
import { readModule } from "../binary/readModule.ts"
import { verdictOf, type Verdict } from "../binary/refusal.ts"
import { meterModule } from "../meter/meterModule.ts"
import { linkFacts, type LinkFacts } from "./link.ts"

/** A compiled, metered program. It can be sent to other threads, where the engine shares the code. */
export interface PreparedProgram {
  readonly module: WebAssembly.Module
  readonly link: LinkFacts
}

/** A program, or why its bytes are none. */
export type Preparation = Verdict<PreparedProgram>

/** The features of each phase (vm-abi, section 2; decision D25). */
const featureRules: Readonly<Record<Phase, FeatureRules>> = {
  exec: { multiValue: true },
  tally: { multiValue: false }
}

/** Metered bytes, and what linking them needs: everything that happens before an engine is involved. */
export const meterProgram = (
  bytes: Uint8Array,
  phase: Phase,
  memoryPages: number
): Verdict<{ readonly metered: Uint8Array<ArrayBuffer>; readonly link: LinkFacts }> =>
  verdictOf(() => {
    const rules = featureRules[phase]
    const module = readModule(bytes, rules)
    return { metered: meterModule(module, { phase, rules, memoryPages }), link: linkFacts(module, phase, memoryPages) }
  })

/** Prepares a program for one phase. What the engine does not compile is refused like what we do not read. */
export const prepareProgram = (bytes: Uint8Array, phase: Phase, memoryPages: number): Preparation => {
  const metered = meterProgram(bytes, phase, memoryPages)
  if (!metered.accepted) return metered
  const { link, metered: code } = metered.value
  try {
    return { accepted: true, value: { module: new WebAssembly.Module(code), link } }
  } catch (fault) {
    if (!(fault instanceof WebAssembly.CompileError)) throw fault
    return { accepted: false, refusal: { kind: "invalid", message: "the module does not validate" } }
  }
}
