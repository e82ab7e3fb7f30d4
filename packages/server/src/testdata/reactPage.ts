/** For tests: a page with a React component that shows a feed. */
import { type ConnectionEvent, createClient } from "@sibyl/client"
import { useFeed } from "@sibyl/client/react"
import { createElement, useState } from "react"
import { createRoot } from "react-dom/client"

const connection = document.createElement("p")
connection.id = "connection"
document.body.append(connection)

const client = createClient({
  url: "http://oracle.example",
  auth: async () => (await fetch("/oracle-ticket")).text(),
  onConnection: ({ state }: ConnectionEvent) => (connection.textContent = state)
})

const btcUsd = "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43"

const Price = ({ inputs, periodicityMs }: { readonly inputs: object; readonly periodicityMs: number }) => {
  const execute = { execProgramId: "v1.prices.acme", execInputs: { ...inputs }, encoding: "json" } as const
  const { error, result, trouble } = useFeed<{ readonly price: number }>(client, { execute, mode: "SEQUENTIAL", periodicityMs })
  const tag = error !== undefined && "_tag" in error ? error._tag : error
  const text =
    tag !== undefined
      ? `ended ${String(tag)}`
      : trouble?.kind === "failed"
        ? `failed ${trouble.error._tag}`
        : String(result?.result.price ?? "waiting")
  return createElement("p", { id: "shown" }, text)
}

const views = {
  price: { inputs: { id: btcUsd, output_format: "json" }, periodicityMs: 50 },
  fail: { inputs: {}, periodicityMs: 50 },
  refuse: { inputs: {}, periodicityMs: 0 }
}

const App = () => {
  const [view, setView] = useState<keyof typeof views | "leave">("price")
  const buttons = (["fail", "refuse", "leave"] as const).map((name) =>
    createElement("button", { key: name, onClick: () => setView(name) }, name)
  )
  return createElement("div", {}, ...buttons, view === "leave" ? null : createElement(Price, views[view]))
}

createRoot(document.querySelector("#root") as Element).render(createElement(App))
