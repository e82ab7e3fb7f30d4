/** The seeded faults of all parts of the REST interface. */
import { browserFaults } from "./browserFaults.ts"
import { creditFaults } from "./creditFaults.ts"
import { dataProxyFaults } from "./dataProxyFaults.ts"
import { durableFeedFaults } from "./durableFeedFaults.ts"
import { documentFaults } from "./documentFaults.ts"
import { errorFaults } from "./errorFaults.ts"
import { failureFaults } from "./failureFaults.ts"
import { fieldFaults } from "./fieldFaults.ts"
import { historyFaults } from "./historyFaults.ts"
import { programNameFaults } from "./programNameFaults.ts"
import { programFaults } from "./programFaults.ts"
import type { RestFault } from "./restFault.ts"
import { restFaults } from "./restFaults.ts"

/** In the order of the audits that find them, roughly. */
export const everyRestFault: ReadonlyArray<RestFault> = [
  ...restFaults,
  ...failureFaults,
  ...fieldFaults,
  ...errorFaults,
  ...historyFaults,
  ...creditFaults,
  ...dataProxyFaults,
  ...programNameFaults,
  ...programFaults,
  ...durableFeedFaults,
  ...browserFaults,
  ...documentFaults
]
