/** Services with one fault each, and the rules of which at least one must be found broken. */
import { Directory, Entropy, Keys, Ledger, ResultStore, type Service, type ServiceRequest, Signer } from "@sibyl/core"
import { Context, Effect, Layer, Redacted } from "effect"
import type { SimPorts, SimTargetOptions } from "../sim/openSimTarget.ts"
import type { TrafficRule } from "../auditor/violation.ts"
import { everyNth, type Members, onAnswer, onMessage, onRequest, onSocket, within } from "./tamper.ts"

/** A fault. */
export interface SeededFault {
  readonly name: string
  readonly breaks: ReadonlyArray<TrafficRule>
  readonly options: () => SimTargetOptions
}

type Tamper = (service: Service) => Service
type Ports = Context.Context<SimPorts>

const seam = (name: string, breaks: ReadonlyArray<TrafficRule>, tamper: () => Tamper): SeededFault => ({
  name,
  breaks,
  options: () => ({ service: tamper() })
})

const ports = (name: string, breaks: ReadonlyArray<TrafficRule>, change: () => (ports: Ports) => Ports): SeededFault => ({
  name,
  breaks,
  options: () => ({ ports: change() })
})

const isRun = ({ method, url }: ServiceRequest): boolean => /^\/execute(\?|$)/.test(url) && (method === "GET" || method === "POST")

const isRecord = (json: Members): boolean => json["_tag"] === "ExecuteResponse" || json["_tag"] === "FailedExecutionResponse"

const isReply = (message: Members): boolean => "id" in message
const isResult = (message: Members): boolean => message["method"] === "feed.result"
const resultOf = (message: Members): Members => within(message, "params", "result")

const bodyOnce = (request: ServiceRequest): ServiceRequest => {
  let body: Promise<Uint8Array> | undefined
  return { ...request, body: (maxBytes) => (body ??= request.body(maxBytes)) }
}

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

const ledgerWith = (ports: Ports, change: (ledger: Ledger["Type"]) => Partial<Ledger["Type"]>): Ports => {
  const ledger = Context.get(ports, Ledger)
  return Context.add(ports, Ledger, { ...ledger, ...change(ledger) })
}

const resultsWith = (ports: Ports, change: (results: ResultStore["Type"]) => Partial<ResultStore["Type"]>): Ports => {
  const results = Context.get(ports, ResultStore)
  return Context.add(ports, ResultStore, { ...results, ...change(results) })
}

const otherSigner = Effect.runSync(
  Effect.provide(Signer, Layer.provide(Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(2))), Entropy.layer))
)

const runFaults: ReadonlyArray<SeededFault> = [
  seam("every third execution over REST runs and is charged twice", ["reports"], () => (service) => {
    const isTwice = everyNth(3)
    return {
      ...service,
      fetch: async (request) => {
        const same = bodyOnce(request)
        if (isRun(request) && request.header("idempotency-key") === undefined && isTwice()) await service.fetch(same)
        return service.fetch(same)
      }
    }
  }),
  seam("another drId", ["identity"], () =>
    onAnswer((json) => {
      const result = within(json, "data", "dataResult")
      if (typeof result["drId"] === "string") result["drId"] = result["drId"].replace(/^./, (digit) => (digit === "0" ? "1" : "0"))
    })
  ),
  ports("results signed by another key", ["identity"], () => (ports) => {
    const signer = Context.get(ports, Signer)
    return Context.add(ports, Signer, { ...signer, sign: otherSigner.sign })
  }),
  seam("inputs of POST are trimmed", ["request", "outcome"], () =>
    onRequest((request) =>
      request.method !== "POST" ? request : { ...request, body: async (maxBytes) => new TextEncoder().encode(Buffer.from(await request.body(maxBytes)).toString().replace('"execInputs":"0x', '"execInputs":"')) }
    )
  ),
  seam("the result in hex, whatever encoding was asked for", ["result"], () =>
    onAnswer((json) => {
      const data = within(json, "data")
      const hex = within(data, "dataResult")["result"]
      if (isRecord(json)) data["result"] = `0x${String(hex)}`
    })
  ),
  seam("a failed program is answered as a success", ["result", "shape", "outcome"], () =>
    onAnswer((json, _request, response) => {
      if (json["_tag"] === "FailedExecutionResponse") return { ...response, status: 200, body: JSON.stringify({ ...json, _tag: "ExecuteResponse" }) }
      return undefined
    })
  ),
  seam("the gas of the summary is that of the execution phase alone", ["gas"], () =>
    onAnswer((json) => {
      const gas = within(json, "data", "summary", "gasUsed")
      if ("tally" in gas) gas["tally"] = "0"
    })
  ),
  seam("gas that grows from run to run", ["gas", "identity"], () => {
    let more = 0n
    return onAnswer((json) => {
      const result = within(json, "data", "dataResult")
      if ("gasUsed" in result) result["gasUsed"] = String(BigInt(String(result["gasUsed"])) + (more += 1n))
    })
  }),
  seam("summary without being asked for", ["shape"], () =>
    onAnswer((json) => {
      if (isRecord(json) && within(json, "data")["summary"] === undefined) within(json, "data")["summary"] = { creditsUsed: "1" }
    })
  )
]

const creditFaults: ReadonlyArray<SeededFault> = [
  seam("credits are used without the balance going down", ["credits"], () =>
    onAnswer((json) => {
      const credits = within(json, "credits")
      if (typeof credits["remaining"] === "string") credits["remaining"] = String(BigInt(credits["remaining"]) + BigInt(String(credits["used"])))
    })
  ),
  ports("one credit too many is charged now and then", ["credits"], () => {
    const isWrong = everyNth(4)
    return (ports) =>
      ledgerWith(ports, (ledger) => {
        const more = (report: Parameters<typeof ledger.settle>[1]): typeof report =>
          isWrong() ? { ...report, cost: { ...report.cost, total: report.cost.total + 1n } } : report
        return {
          settle: (hold, report, also) => ledger.settle(hold, more(report), also),
          settleChosen: (hold, report, chosen, also) => ledger.settleChosen(hold, more(report), chosen, also)
        }
      })
  }),
  ports("failed runs cost nothing", ["credits"], () => (ports) =>
    ledgerWith(ports, (ledger) => {
      const free = (report: Parameters<typeof ledger.settle>[1]): typeof report =>
        report.dataResult.exitCode === 0 ? report : { ...report, cost: { ...report.cost, total: 0n } }
      return {
        settle: (hold, report, also) => ledger.settle(hold, free(report), also),
        settleChosen: (hold, report, chosen, also) => ledger.settleChosen(hold, free(report), chosen, also)
      }
    })
  ),
  seam("a grant is shown before the operator made it", ["credits"], () =>
    onAnswer((json) => {
      if (typeof json["remainingCreditsSnapshot"] === "string") json["remainingCreditsSnapshot"] = String(BigInt(json["remainingCreditsSnapshot"]) + 400n)
    })
  ),
  seam("requests are refused although there are credits", ["outcome", "credits", "reports"], () => {
    const isRefused = everyNth(5)
    return onAnswer((json, request, response) => {
      if (!isRun(request) || !isRecord(json) || !isRefused()) return undefined
      const error = { _tag: "InsufficientCredits", error: "no", message: "no", requestId: response.headers["x-request-id"], details: { required: "351", remaining: "350" } }
      return { ...response, status: 403, body: JSON.stringify(error) }
    })
  }),
  ports("answers before the charge is durable", ["reports", "credits", "last-result"], () => (ports) =>
    ledgerWith(ports, (ledger) => {
      let projects: Parameters<typeof ledger.balance>[0] | undefined
      return {
        hold: (project, amount, leaseMs) => {
          projects = project
          return ledger.hold(project, amount, leaseMs)
        },
        settleChosen: (hold, report, chosen, also) => {
          const later = Effect.forkDaemon(Effect.delay(ledger.settleChosen(hold, report, chosen, also), 200))
          return projects === undefined ? ledger.settleChosen(hold, report, chosen, also) : Effect.zipRight(later, ledger.balance(projects))
        }
      }
    })
  )
]

const historyFaults: ReadonlyArray<SeededFault> = [
  ports("every third report is lost", ["reports", "credits"], () => {
    const isLost = everyNth(3)
    return (ports) => resultsWith(ports, (results) => ({ page: (query) => Effect.map(results.page(query), (page) => page.filter(() => !isLost())) }))
  }),
  ports("reports, oldest first", ["reports"], () => (ports) =>
    resultsWith(ports, (results) => ({ page: (query) => Effect.map(results.page(query), (page) => page.toReversed()) }))
  ),
  seam("a stale last result", ["last-result"], () =>
    remembered(({ header, method, url }) => (method === "GET" && url.startsWith("/execute/last-result") ? `${url} ${header("authorization")}` : undefined))
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
  seam("idempotency keys are ignored", ["idempotency"], () => onRequest((request) => withoutHeader(request, "idempotency-key"))),
  seam("a repeated answer with another time", ["idempotency", "identity"], () =>
    onAnswer((json, _request, { headers }) => {
      if (headers["idempotency-replayed"] !== undefined) within(json, "data", "dataResult")["blockTimestamp"] = "1767225600999"
    })
  )
]

const accessFaults: ReadonlyArray<SeededFault> = [
  ports("a revoked key still works", ["outcome", "keys"], () => (ports) => {
    const directory = Context.get(ports, Directory)
    const keys = Context.get(ports, Keys)
    void keys
    const known = new Map<unknown, unknown>()
    // What was found once is found for ever.
    const remember = (find: (...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>) => (...args: ReadonlyArray<never>) => {
      const name = JSON.stringify(args, (_, value: unknown) => (typeof value === "bigint" ? String(value) : Redacted.isRedacted(value) ? Redacted.value(value) : value))
      return Effect.flatMap(Effect.exit(find(...args)), (exit) => {
        if (exit._tag === "Success") known.set(name, exit.value)
        const before = known.get(name)
        return before === undefined ? exit : Effect.succeed(before)
      })
    }
    const faulty = Object.fromEntries(
      Object.entries(directory).map(([name, member]: readonly [string, unknown]) => [name, typeof member === "function" ? remember(member as never) : member])
    )
    return Context.add(ports, Directory, faulty as unknown as Directory["Type"])
  }),
  seam("connections of a revoked key stay open", ["keys"], () => onSocket(() => ({ ignoresClose: true }))),
  seam("a status that nobody documented", ["shape", "outcome"], () => onAnswer((json, _request, response) => ({ ...response, status: response.status === 404 ? 410 : response.status, body: JSON.stringify(json) }))),
  seam("an internal error now and then", ["outcome", "shape"], () => {
    const isBroken = everyNth(9)
    return onAnswer((_json, _request, response) => {
      if (!isBroken()) return undefined
      const error = { _tag: "InternalError", error: "broken", message: "broken", requestId: response.headers["x-request-id"] }
      return { ...response, status: 500, body: JSON.stringify(error) }
    })
  }),
  seam("401 without WWW-Authenticate", ["shape"], () =>
    onAnswer((json, _request, response) => {
      const { ["www-authenticate"]: _absent, ...headers } = response.headers
      return { ...response, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== "www-authenticate")), body: JSON.stringify(json) }
    })
  ),
  seam("another public key at every start", ["facts", "identity"], () => {
    let asked = 0
    return onAnswer((json) => {
      if (typeof json["publicKey"] === "string" && "serverVersion" in json) {
        asked += 1
        if (asked > 2) json["publicKey"] = json["publicKey"].replace(/.$/, (digit) => (digit === "0" ? "1" : "0"))
      }
    })
  })
]

const socketFaults: ReadonlyArray<SeededFault> = [
  seam("every third reply twice", ["one-answer"], () => {
    const isTwice = everyNth(3)
    return onSocket(() => ({ message: (message) => (isReply(message) && isTwice() ? [message, message] : [message]) }))
  }),
  seam("every fourth reply is lost", ["one-answer"], () => {
    const isLost = everyNth(4)
    return onSocket(() => ({ message: (message) => (isReply(message) && isLost() ? [] : [message]) }))
  }),
  seam("the reply to another request", ["one-answer"], () => {
    const isOther = everyNth(4)
    return onMessage((message) => {
      if (typeof message["id"] === "string" && isOther()) message["id"] = `${message["id"]}0`
    })
  }),
  seam("authorized twice", ["socket"], () => onSocket(() => ({ message: (message) => (message["method"] === "authorized" ? [message, message] : [message]) }))),
  seam("code 32000 for every error", ["shape"], () =>
    onMessage((message) => {
      const error = within(message, "error")
      if ("code" in error) error["code"] = 32_000
    })
  ),
  seam("a result after the stop", ["feed"], () =>
    onSocket(() => {
      let last: Members | undefined
      return {
        message: (message) => {
          if (isResult(message)) last = message
          const isStop = isReply(message) && within(message, "result")["feedId"] !== undefined && last !== undefined && within(last, "params")["feedId"] === within(message, "result")["feedId"]
          const { seq } = within(last, "params")
          const late = { ...last, params: { ...within(last, "params"), seq: Number(seq) + 1 } }
          return isStop ? [message, late] : [message]
        }
      }
    })
  ),
  seam("every fourth result of a feed is lost", ["feed"], () => {
    const isLost = everyNth(4)
    return onSocket(() => ({ message: (message) => (isResult(message) && isLost() ? [] : [message]) }))
  }),
  seam("every fourth result of a feed twice", ["feed"], () => {
    const isTwice = everyNth(4)
    return onSocket(() => ({ message: (message) => (isResult(message) && isTwice() ? [message, message] : [message]) }))
  }),
  seam("seq from 1", ["feed"], () =>
    onMessage((message) => {
      if (isResult(message)) within(message, "params")["seq"] = Number(within(message, "params")["seq"]) + 1
    })
  ),
  seam("FIXED runs that overlap", ["feed"], () => onSocket(() => ({ received: (text) => text.replace('"mode":"FIXED"', '"mode":"PARALLEL"') }))),
  seam("SEQUENTIAL counted from the start", ["feed"], () =>
    onSocket(() => ({ received: (text) => text.replace('"mode":"SEQUENTIAL"', '"mode":"FIXED"') }))
  ),
  seam("PARALLEL that waits", ["feed"], () => onSocket(() => ({ received: (text) => text.replace('"mode":"PARALLEL"', '"mode":"FIXED"') }))),
  seam("results of one feed under the id of another", ["feed"], () =>
    onSocket(() => {
      const ids = new Set<unknown>()
      return {
        message: (message) => {
          if (isResult(message)) {
            ids.add(within(message, "params")["feedId"])
            within(message, "params")["feedId"] = [...ids][0]
          }
          return [message]
        }
      }
    })
  ),
  seam("the inputs of a feed are lost", ["request", "result"], () =>
    onMessage((message) => {
      const request = within(resultOf(message), "data", "dataRequest")
      if ("execInputs" in request) request["execInputs"] = ""
    })
  )
]

/** All of them. */
export const seededFaults: ReadonlyArray<SeededFault> = [...runFaults, ...creditFaults, ...historyFaults, ...accessFaults, ...socketFaults]
