/** The whole service over Express with its WebSockets, and everything that the audits need. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { HttpFetch } from "@sibyl/core"
import { openMemoryService, operatorOf, provisionTarget, type WsTarget } from "@sibyl/testing"
import { layerProgramRuntime } from "@sibyl/vm"
import { Layer } from "effect"
import express from "express"
import { attachUpgrades, sibyl } from "../index.ts"

/** A server that runs until it is stopped. */
export interface AuditedServer {
  readonly target: WsTarget
  /** Another one on this server, with projects and keys of its own. */
  readonly provision: () => Promise<WsTarget>
  readonly stop: () => Promise<void>
}

/** Short, so that the audits of silent clients do not take a minute; long enough that a slow reader is not a silent client. */
const pingIntervalMs = 5_000

/** Starts the service below a prefix. */
export const startAuditedServer = async (): Promise<AuditedServer> => {
  const machine = layerProgramRuntime({ workers: 2 }).pipe(Layer.provide(HttpFetch.layerClosed))
  const memory = await openMemoryService(machine, { limits: { pingIntervalMs } })
  const server = createServer(express().use("/oracle", sibyl(memory.service)))
  attachUpgrades(server, memory.service, { prefix: "/oracle" })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/oracle`
  const provision = async () => ({ ...(await provisionTarget(memory, { baseUrl })), operator: operatorOf(memory), pingIntervalMs })
  return {
    target: await provision(),
    provision,
    stop: async () => {
      // The service first: it closes the WebSockets, which the server does not track.
      await memory.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
