/** A stand-alone server of the whole service, with everything that the audits need. */
import { HttpFetch } from "@sibyl/core"
import { auditedOrigin, openMemoryService, provisionTarget, type Target } from "@sibyl/testing"
import { layerProgramRuntime } from "@sibyl/vm"
import { Layer } from "effect"
import { serve } from "../index.ts"
import { serveParent, type Started } from "./bunProcess.ts"

/** Starts the service below a prefix; a client needs to know the target to audit. */
export const start = async (): Promise<Started<Target>> => {
  const machine = layerProgramRuntime({ workers: 2 }).pipe(Layer.provide(HttpFetch.layerClosed))
  const memory = await openMemoryService(machine, { allowedOrigins: [auditedOrigin] })
  const server = serve({ service: memory.service, port: 0, hostname: "127.0.0.1", prefix: "/oracle" })
  const baseUrl = `http://127.0.0.1:${server.port}/oracle`
  const known = await provisionTarget(memory, { baseUrl, standAlone: true, allowedOrigin: auditedOrigin })
  const stop = async (): Promise<void> => {
    await server.stop(true)
    await memory.close()
  }
  return { known, stop }
}

if (import.meta.main) await serveParent(start)
