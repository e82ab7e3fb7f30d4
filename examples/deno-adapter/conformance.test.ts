/** Deno's own server keeps every rule of REST: each audit is a test, on Deno. */
import { describeAdapter } from "@sibyl/testing/vitest"
import { layerProgramRuntime } from "@sibyl/vm"
import { serve } from "./denoServer.ts"

const withoutWebSockets = "Deno's WebSockets accept frames without a mask, have no pings, and do not tell what waits to be sent"
describeAdapter("Deno", serve, { machine: layerProgramRuntime({ workers: 2 }), withoutWebSockets })
