/** A guard, what replaces it, and the test files that judge it beside simulations. */
import type { Mutant } from "./bundleSimulation.mjs"

export const mutants: ReadonlyArray<Mutant & { readonly id: string; readonly guards: string; readonly tests?: ReadonlyArray<string> }>
