/** Faults of what is kept: reports, last results, answers under idempotency keys. */
import { ResultStore, type Service, type ServiceRequest } from "@sibyl/core"
import { Context, Effect } from "effect"
import { type Ports, ports, seam, type SeededFault, type Tamper } from "./seededFault.ts"
import { everyNth, onAnswer, onRequest, within } from "./tamper.ts"

const withoutHeader = (request: ServiceRequest, absent: string): ServiceRequest => ({
  ...request,
  header: (name) => (name.toLowerCase() === absent ? undefined : request.header(name))
})

/** The first answer to a path, for everybody and for ever. */
const remembered =
  (keyOf: (request: ServiceRequest) => string | undefined): Tamper =>
  (service) => {
    const answers = new Map<string, ReturnType<Service["fetch"]>>()
    return {
      ...service,
      fetch: async (request) => {
        const key = keyOf(request)
        const known = key === undefined ? undefined : answers.get(key)
        if (known !== undefined) return known
        const answer = service.fetch(request)
        if (key !== undefined && (await answer)?.status === 200) answers.set(key, answer)
        return answer
      }
    }
  }

const resultsWith = (ports: Ports, change: (results: ResultStore["Type"]) => Partial<ResultStore["Type"]>): Ports => {
  const results = Context.get(ports, ResultStore)
  return Context.add(ports, ResultStore, { ...results, ...change(results) })
}

/** All of them. */
export const historyFaults: ReadonlyArray<SeededFault> = [
  ports("every third report is lost", ["reports", "credits"], () => {
    const isLost = everyNth(3)
    return (ports) =>
      resultsWith(ports, (results) => ({ page: (query) => Effect.map(results.page(query), (page) => page.filter(() => !isLost())) }))
  }),
  ports(
    "reports, oldest first",
    ["reports"],
    () => (ports) => resultsWith(ports, (results) => ({ page: (query) => Effect.map(results.page(query), (page) => page.toReversed()) }))
  ),
  seam("a stale last result", ["last-result"], () =>
    remembered(({ header, method, url }) =>
      method === "GET" && url.startsWith("/execute/last-result") ? `${url} ${header("authorization")}` : undefined
    )
  ),
  seam("the last result of whoever asked first", ["tenants", "last-result", "reports"], () =>
    remembered(({ header, method, url }) =>
      method === "GET" && url.startsWith("/execute/last-result") && header("authorization") !== undefined ? url : undefined
    )
  ),
  seam("returnLastResult is ignored", ["last-result"], () =>
    onRequest((request) => ({ ...request, url: request.url.replace(/returnLastResult=(true|1)?(?=&|$)/gi, "returnLastResult=0") }))
  ),
  seam("last results of failed runs are not found", ["last-result"], () =>
    onAnswer((json, request, response) => {
      if (!request.url.startsWith("/execute/last-result") || response.status !== 599) return undefined
      const error = { _tag: "LastResultNotFound", error: "none", message: "none", requestId: response.headers["x-request-id"] }
      void json
      return { ...response, status: 404, body: JSON.stringify(error) }
    })
  ),
  seam("idempotency keys are ignored", ["idempotency", "outcome"], () => onRequest((request) => withoutHeader(request, "idempotency-key"))),
  seam("a repeated answer with another time", ["idempotency", "identity"], () =>
    onAnswer((json, _request, { headers }) => {
      if (headers["idempotency-replayed"] !== undefined) within(json, "data", "dataResult")["blockTimestamp"] = "1767225600999"
    })
  )
]
