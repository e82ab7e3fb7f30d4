/** Hono keeps every rule of REST: each audit is a test. */
import { describeAdapter } from "@sibyl/testing/vitest"
import { layerProgramRuntime } from "@sibyl/vm"
import { serve } from "./honoServer.ts"

const withoutWebSockets = "Hono's WebSockets have no pings, and do not tell what waits to be sent: an upgrade is an adapter of its own"
describeAdapter("Hono", serve, { machine: layerProgramRuntime({ workers: 2 }), withoutWebSockets })
