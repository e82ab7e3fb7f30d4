/** An operator at a distance: served on loopback where the service runs, called from where the audits run. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Operator } from "./wsTarget.ts"

type Wish =
  | { readonly wish: "freshKey"; readonly validForMs?: number }
  | { readonly wish: "revoke"; readonly apiKey: string }
  | { readonly wish: "drain" }

const fulfil = async (operator: Operator, wish: Wish): Promise<string> => {
  switch (wish.wish) {
    case "freshKey":
      return operator.freshKey(wish.validForMs)
    case "revoke":
      await operator.revoke(wish.apiKey)
      return ""
    case "drain":
      await operator.drain()
      return ""
  }
}

/** An operator that can be called over HTTP; everybody on this machine can, so it belongs in tests. */
export interface ServedOperator {
  readonly url: string
  readonly close: () => void
}

/** Serves an operator on a free port of this machine. */
export const serveOperator = async (operator: Operator): Promise<ServedOperator> => {
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece))
    request.once("end", () => {
      const fulfilled = fulfil(operator, JSON.parse(text) as Wish)
      fulfilled.then(
        (answer) => response.end(answer),
        (cause: unknown) => response.writeHead(500).end(String(cause))
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** The operator that is served at an address. */
export const remoteOperator = (url: string): Operator => {
  const ask = async (wish: Wish): Promise<string> => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify(wish) })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return text
  }
  return {
    freshKey: (validForMs) => ask({ wish: "freshKey", ...(validForMs === undefined ? {} : { validForMs }) }),
    revoke: async (apiKey) => void (await ask({ wish: "revoke", apiKey })),
    drain: async () => void (await ask({ wish: "drain" }))
  }
}
