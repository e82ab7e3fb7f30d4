/** Faults of runs and of their records. */
import { Entropy, type ServiceRequest, Signer } from "@sibyl/core"
import { Context, Effect, Layer, Redacted } from "effect"
import { isRecord, isRun, ports, seam, type SeededFault } from "./seededFault.ts"
import { everyNth, onAnswer, onRequest, within } from "./tamper.ts"

const bodyOnce = (request: ServiceRequest): ServiceRequest => {
  let body: Promise<Uint8Array> | undefined
  return { ...request, body: (maxBytes) => (body ??= request.body(maxBytes)) }
}

const otherSigner = Effect.runSync(
  Effect.provide(Signer, Layer.provide(Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(2))), Entropy.layer))
)

/** All of them. */
export const runFaults: ReadonlyArray<SeededFault> = [
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
      request.method !== "POST"
        ? request
        : {
            ...request,
            body: async (maxBytes) =>
              new TextEncoder().encode(
                Buffer.from(await request.body(maxBytes))
                  .toString()
                  .replace('"execInputs":"0x', '"execInputs":"')
              )
          }
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
      if (json["_tag"] === "FailedExecutionResponse")
        return { ...response, status: 200, body: JSON.stringify({ ...json, _tag: "ExecuteResponse" }) }
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
