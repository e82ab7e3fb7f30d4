/** A guard and what it is replaced with. */
export interface Mutant {
  readonly file: string
  readonly find: string
  readonly replace: string
}
export const mutated: (source: string, mutant: Mutant) => string
export const bundleSimulation: (outfile: string, mutant?: Mutant) => Promise<unknown>
