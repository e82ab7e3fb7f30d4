/** Every audit of the REST interface, which a conforming service has to pass. */
import type { Audit } from "../audit.ts"
import { accessAudits } from "./accessAudits.ts"
import { browserAudits } from "./browserAudits.ts"
import { dataProxyAudits } from "./dataProxyAudits.ts"
import { durableFeedAudits } from "./durableFeedAudits.ts"
import { errorAudits } from "./errorAudits.ts"
import { executeAudits } from "./executeAudits.ts"
import { failureAudits } from "./failureAudits.ts"
import { historyAudits } from "./historyAudits.ts"
import { identityAudits } from "./identityAudits.ts"
import { inputAudits } from "./inputAudits.ts"
import { lastResultAudits } from "./lastResultAudits.ts"
import { limitAudits } from "./limitAudits.ts"
import { parameterAudits } from "./parameterAudits.ts"
import { programNameAudits } from "./programNameAudits.ts"
import { quoteAudits } from "./quoteAudits.ts"
import { recordAudits } from "./recordAudits.ts"
import { retryAudits } from "./retryAudits.ts"
import { showAudits } from "./showAudits.ts"
import { storedResultAudits } from "./storedResultAudits.ts"
import type { Target } from "./target.ts"

/** In the order of the interface: executions first, then records, refusals and stored results. */
export const restAudits: ReadonlyArray<Audit<Target>> = [
  ...executeAudits,
  ...identityAudits,
  ...inputAudits,
  ...parameterAudits,
  ...showAudits,
  ...failureAudits,
  ...recordAudits,
  ...accessAudits,
  ...errorAudits,
  ...lastResultAudits,
  ...retryAudits,
  ...quoteAudits,
  ...limitAudits,
  ...storedResultAudits,
  ...historyAudits,
  ...dataProxyAudits,
  ...programNameAudits,
  ...durableFeedAudits,
  ...browserAudits
]
