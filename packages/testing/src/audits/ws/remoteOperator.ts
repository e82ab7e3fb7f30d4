/** A remote operator: served on loopback where the service runs, called from where the audits run. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Operator } from "./wsTarget.ts"

type OperatorCommand =
  | { readonly command: "freshKey"; readonly validForMs?: number }
  | { readonly command: "revoke"; readonly apiKey: string }
  | { readonly command: "drain" }

const fulfil = async (operator: Operator, command: OperatorCommand): Promise<string> => {
  switch (command.command) {
    case "freshKey":
      return operator.freshKey(command.validForMs)
    case "revoke":
      await operator.revoke(command.apiKey)
      return ""
    case "drain":
      await operator.drain?.()
      return ""
  }
}

/** An operator that can be called over HTTP, by any process on this machine, so it is for tests only. */
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
      const fulfilled = fulfil(operator, JSON.parse(text) as OperatorCommand)
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

/** The operator served at an address. */
export const remoteOperator = (url: string): Operator => {
  const ask = async (command: OperatorCommand): Promise<string> => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify(command) })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return text
  }
  return {
    freshKey: (validForMs) => ask({ command: "freshKey", ...(validForMs === undefined ? {} : { validForMs }) }),
    revoke: async (apiKey) => void (await ask({ command: "revoke", apiKey })),
    drain: async () => void (await ask({ command: "drain" }))
  }
}
