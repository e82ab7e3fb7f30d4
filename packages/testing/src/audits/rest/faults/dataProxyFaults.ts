/** Faults around data proxies, each with the audit that must detect it. */
import { edited, type RestFault, withoutHeader, withStatus } from "./restFault.ts"

/** The faults of `GET /data-proxy/{public_key}`. */
export const dataProxyFaults: ReadonlyArray<RestFault> = [
  { name: "404 for unknown proxies", foundBy: "REST-PROXY-001", answer: withStatus(200, 404) },
  {
    name: "keys normalized in the response",
    foundBy: "REST-PROXY-001",
    answer: edited((json) => (json["publicKey"] = String(json["publicKey"]).toLowerCase()))
  },
  { name: "no fee when not registered", foundBy: "REST-PROXY-001", answer: edited((json) => delete json["fee"]) },
  {
    name: "uncompressed keys not recognised",
    foundBy: "REST-PROXY-002",
    answer: edited((json) => {
      if (String(json["publicKey"]).startsWith("04")) json["registered"] = false
    })
  },
  {
    name: "the fee as a number",
    foundBy: "REST-PROXY-002",
    answer: edited((json) => (json["fee"] = Number(json["fee"])))
  },
  { name: "malformed keys as not registered", foundBy: "REST-PROXY-003", answer: withStatus(400, 200) },
  { name: "no Allow beside 405", foundBy: "REST-PROXY-004", answer: withoutHeader("allow") }
]
