/** Calls that a tally program may link but not make. */
import { trap } from "../state/unwind.ts"

/** Ends the program; nothing is charged. */
export const tallyStub = (name: string): never => trap(`Polyfill for function "${name}" is not implemented in tally mode`)
