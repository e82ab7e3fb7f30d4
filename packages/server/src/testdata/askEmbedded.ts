/** Asks a service that the test itself has opened, as an embedder's server would: a GET, or a POST if there is a body. */
import { toWebHandler } from "@sibyl/core"
import type { Sibyl } from "../service/sibyl.ts"

/** The text of the answer. */
export const askEmbedded = async (sibyl: Sibyl, key: string, path: string, body?: object): Promise<string> => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
  const response = await toWebHandler(sibyl.service)(new Request(`http://service${path}`, { headers, ...post }))
  return (await response?.text()) ?? ""
}
