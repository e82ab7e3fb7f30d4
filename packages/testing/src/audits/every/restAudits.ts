/** Every audit of the REST interface, which a conforming service has to pass. */
import type { Audit } from "../audit.ts"
import { asyncApiAudits } from "../documents/asyncApiAudits.ts"
import { openApiAudits } from "../documents/openApiAudits.ts"
import { accessAudits } from "../rest/accessAudits.ts"
import { browserAudits } from "../rest/browserAudits.ts"
import { dataProxyAudits } from "../rest/dataProxyAudits.ts"
import { durableFeedAudits } from "../rest/features/durableFeedAudits.ts"
import { errorAudits } from "../rest/errorAudits.ts"
import { executeAudits } from "../rest/executeAudits.ts"
import { accountFieldAudits } from "../rest/fields/accountFieldAudits.ts"
import { dataRequestAudits } from "../rest/fields/dataRequestAudits.ts"
import { dataResultAudits } from "../rest/fields/dataResultAudits.ts"
import { failureAudits } from "../rest/failureAudits.ts"
import { historyAudits } from "../rest/historyAudits.ts"
import { identityAudits } from "../rest/identityAudits.ts"
import { inputAudits } from "../rest/inputAudits.ts"
import { lastResultAudits } from "../rest/lastResultAudits.ts"
import { limitAudits } from "../rest/limitAudits.ts"
import { parameterAudits } from "../rest/parameterAudits.ts"
import { programNameAudits } from "../rest/features/programNameAudits.ts"
import { quoteAudits } from "../rest/quoteAudits.ts"
import { recordingAudits } from "../rest/features/recordingAudits.ts"
import { recordAudits } from "../rest/recordAudits.ts"
import { retryAudits } from "../rest/retryAudits.ts"
import { showAudits } from "../rest/showAudits.ts"
import { storedResultAudits } from "../rest/storedResultAudits.ts"
import type { Target } from "../rest/target.ts"

/** In the order of the interface: executions first, then records, refusals and stored results. */
export const restAudits: ReadonlyArray<Audit<Target>> = [
  ...executeAudits,
  ...dataRequestAudits,
  ...dataResultAudits,
  ...identityAudits,
  ...inputAudits,
  ...parameterAudits,
  ...showAudits,
  ...failureAudits,
  ...recordAudits,
  ...accountFieldAudits,
  ...openApiAudits,
  ...asyncApiAudits,
  ...accessAudits,
  ...errorAudits,
  ...lastResultAudits,
  ...retryAudits,
  ...quoteAudits,
  ...limitAudits,
  ...storedResultAudits,
  ...historyAudits,
  ...recordingAudits,
  ...dataProxyAudits,
  ...programNameAudits,
  ...durableFeedAudits,
  ...browserAudits
]
