/** A stand-alone server of the whole service with its WebSockets, and an operator that the audits can call. */
import { HttpFetch } from "@sibyl/core"
import { openMemoryService, operatorOf, provisionTarget, serveOperator, type Target } from "@sibyl/testing"
import { layerProgramRuntime } from "@sibyl/vm"
import { Layer } from "effect"
import { serve } from "../index.ts"
import { serveParent, type Started } from "./bunProcess.ts"

/** The target without its operator, which is called at an address. */
export interface SocketServer {
  readonly target: Target & { readonly pingIntervalMs: number }
  readonly operatorUrl: string
}

/** Short, so that the audits of silent clients do not take a minute; long enough that a slow reader is not a silent client. */
const pingIntervalMs = 5_000

/** Starts the service below a prefix. */
export const start = async (): Promise<Started<SocketServer>> => {
  const machine = layerProgramRuntime({ workers: 2 }).pipe(Layer.provide(HttpFetch.layerClosed))
  const memory = await openMemoryService(machine, { limits: { pingIntervalMs } })
  const operator = await serveOperator(operatorOf(memory))
  const server = serve({ service: memory.service, port: 0, hostname: "127.0.0.1", prefix: "/oracle" })
  const target = await provisionTarget(memory, { baseUrl: `http://127.0.0.1:${server.port}/oracle`, standAlone: true })
  const stop = async (): Promise<void> => {
    operator.close()
    await server.stop(true)
    await memory.close()
  }
  return { known: { target: { ...target, pingIntervalMs }, operatorUrl: operator.url }, stop }
}

if (import.meta.main) await serveParent(start)
