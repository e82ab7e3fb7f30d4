/** What `GET` and `POST /execute/last-result` answer: the last stored run, shown as asked (decisions D14, D28). */
import { Clock, Effect } from "effect"
import { type Failure, InvalidParameter } from "../../contract/errors.ts"
import { lastResultModes, modeRule } from "../../contract/executeParams.ts"
import type { ResolvedPrincipal } from "../../domain/accounts/project.ts"
import { writeResponse } from "../../domain/encoding/responseJson.ts"
import type { LastResultMode } from "../../ports/resultStore.ts"
import { History } from "../../services/history.ts"
import { Options } from "../../services/settings/serviceOptions.ts"
import type { Call, Reply } from "./call.ts"
import { isExecuteParameter, type ParameterPlace } from "../execution/executeParameters.ts"
import { readExecution } from "../execution/executionRequest.ts"
import { executionView, hasFailed } from "../execution/executionView.ts"
import { readJsonBody } from "./jsonBody.ts"
import { givenTwice, readQuery } from "../execution/query.ts"
import { storedResultHeaders, validityOf } from "./validity.ts"

/** The services that reading a last result needs. */
export type LastResultServices = History | Options

const isMode = (value: unknown): value is LastResultMode => lastResultModes.some((mode) => mode === value)

/** The default is `last`. */
const readMode = (places: ReadonlyArray<ParameterPlace>): Effect.Effect<LastResultMode, InvalidParameter> => {
  const given = places.map((place) => place.get("mode")).filter((value) => value !== undefined && value !== null)
  const [mode = "last"] = given
  if (!given.every(isMode) || !isMode(mode)) return Effect.fail(InvalidParameter.because("mode", modeRule))
  return new Set(given).size > 1 ? Effect.fail(givenTwice("mode")) : Effect.succeed(mode)
}

/** `POST` takes parameters in the body too. A stored failure is answered with 599, as when it ran. */
export const lastResultHandler: (
  call: Call,
  principal: ResolvedPrincipal,
  withBody: boolean
) => Effect.Effect<Reply, Failure, LastResultServices> = Effect.fnUntraced(function* (
  call: Call,
  { apiKeyExpiresAtMs, project }: ResolvedPrincipal,
  withBody: boolean
) {
  const query = yield* readQuery(call.query, (name) => isExecuteParameter(name) || name === "mode")
  const places = withBody ? [...query, yield* readJsonBody(call.request, project.limits)] : query
  const { key, options } = yield* readExecution(places, project, ["mode"])
  const mode = yield* readMode(places)
  const { balance, cachedAgeMs = 0, report } = yield* (yield* History).last(project, key, mode)
  const nowMs = Number(yield* Clock.currentTimeNanos) / 1e6
  const view = executionView({ report, balance, cached: true, options }, yield* Options)
  return {
    status: hasFailed(report) ? 599 : 200,
    body: writeResponse(view),
    headers: storedResultHeaders(cachedAgeMs),
    ...(withBody ? {} : validityOf(options, { nowMs, ageMs: cachedAgeMs, apiKeyExpiresAtMs }))
  }
})
