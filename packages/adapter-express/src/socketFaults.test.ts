/** With the real adapter, each seeded fault about open WebSockets fails its audit. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Peer, Service, Socket } from "@sibyl/core"
import { adapterAudits, makeMirrorService, runAudits } from "@sibyl/testing"
import express from "express"
import { describe, expect, it } from "vitest"
import { attachUpgrades, sibyl } from "./index.ts"

/** The ways in which an adapter can be wrong about open WebSockets; absent parts are correct. */
interface Fault {
  readonly socket?: (socket: Socket) => Partial<Socket>
  readonly peer?: (peer: Peer) => Partial<Peer>
  readonly server?: (server: Server) => void
  readonly maxMessageBytes?: number
  readonly protocol?: "lost"
}

const faults: ReadonlyArray<readonly [id: string, name: string, fault: Fault]> = [
  ["ADAPTER-SOCKET-001", "bytes arrive as text", { peer: ({ message }) => ({ message: (frame) => message(frame.toString()) }) }],
  [
    "ADAPTER-SOCKET-002",
    "frames given together leave backwards",
    { socket: ({ sendTexts }) => ({ sendTexts: (frames) => sendTexts(frames.toReversed()) }) }
  ],
  ["ADAPTER-SOCKET-003", "pongs are swallowed", { peer: () => ({ pong: () => {} }) }],
  ["ADAPTER-SOCKET-004", "nobody is told that output has drained", { peer: () => ({ drain: () => {} }) }],
  ["ADAPTER-SOCKET-005", "reasons are lost", { socket: ({ close }) => ({ close: (code) => close(code, "") }) }],
  ["ADAPTER-SOCKET-006", "a terminated client is asked to go", { socket: ({ close }) => ({ terminate: () => close(1000, "") }) }],
  ["ADAPTER-SOCKET-007", "a close cuts at once", { socket: ({ terminate }) => ({ close: () => terminate() }) }],
  ["ADAPTER-SOCKET-008", "messages have a bound of the adapter's own", { maxMessageBytes: 1_048_576 }],
  [
    "ADAPTER-UPGRADE-004",
    "every offer of another protocol is cut",
    { server: (server) => server.prependListener("upgrade", (_request, raw) => raw.destroy()) }
  ],
  ["ADAPTER-UPGRADE-005", "the selected subprotocol is lost", { protocol: "lost" }]
]

/** The mirror service, with a fault between it and the adapter. */
const behind = ({ maxMessageBytes, peer, protocol, socket }: Fault): Service => {
  const mirror = makeMirrorService()
  return {
    ...mirror,
    maxMessageBytes: maxMessageBytes ?? mirror.maxMessageBytes,
    upgrade: async (request) => {
      const answer = await mirror.upgrade(request)
      if (typeof answer !== "function") return answer
      const opening = (real: Socket): Peer => {
        const whole = answer({ ...real, ...socket?.(real) })
        // The peer's methods may be on its class, so each is named.
        const right: Peer = {
          message: (frame) => whole.message(frame),
          pong: () => whole.pong(),
          drain: () => whole.drain(),
          closed: (code, reason) => whole.closed(code, reason)
        }
        return { ...right, ...peer?.(right) }
      }
      return protocol === "lost" || answer.protocol === undefined ? opening : Object.assign(opening, { protocol: answer.protocol })
    }
  }
}

const failuresOf = async (id: string, fault: Fault): Promise<ReadonlyArray<string>> => {
  const service = behind(fault)
  const server = createServer(express().use("/oracle", sibyl(service)))
  attachUpgrades(server, service, { prefix: "/oracle" })
  fault.server?.(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/oracle`
  const report = await runAudits(
    { baseUrl },
    adapterAudits.filter((audit) => audit.id === id)
  )
  server.closeAllConnections()
  server.close()
  return report.entries.filter(({ result }) => result.kind !== "passed").map((entry) => entry.id)
}

describe.concurrent("the audits of open WebSockets", () => {
  it.for(faults)("detect with %s: %s", async ([id, _name, fault], { expect }) => {
    expect(await failuresOf(id, fault)).toEqual([id])
  })
})

it("each has its fault", () => {
  const opened = adapterAudits.map(({ id }) => id).filter((id) => /SOCKET|UPGRADE-00[45]/.test(id))
  expect(faults.map(([id]) => id).toSorted()).toEqual(opened.toSorted())
})
