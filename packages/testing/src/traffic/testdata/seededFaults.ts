/** Services with one fault each, and the rules of which at least one must be found broken. */
import { accessFaults } from "./accessFaults.ts"
import { creditFaults } from "./creditFaults.ts"
import { historyFaults } from "./historyFaults.ts"
import { runFaults } from "./runFaults.ts"
import type { SeededFault } from "./seededFault.ts"
import { socketFaults } from "./socketFaults.ts"
import { ticketFaults } from "./ticketFaults.ts"

/** All of them. */
export const seededFaults: ReadonlyArray<SeededFault> = [
  ...runFaults,
  ...creditFaults,
  ...historyFaults,
  ...accessFaults,
  ...socketFaults,
  ...ticketFaults
]
