/** The adapter of this example keeps every rule: each audit is a test. */
import { describeAdapter } from "@sibyl/testing/vitest"
import { layerProgramRuntime } from "@sibyl/vm"
import { serve } from "./nodeHttp.ts"

describeAdapter("node:http", serve, { machine: layerProgramRuntime({ workers: 2 }) })
