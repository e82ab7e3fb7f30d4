/** Alarms by the runtime's timers satisfy the laws. */
import { alarmLaws } from "@sibyl/testing"
import { describeLaws } from "@sibyl/testing/vitest"
import { layerRuntimeAlarm } from "./runtimeAlarm.ts"

describeLaws(
  "alarms by the runtime's timers",
  alarmLaws(() => layerRuntimeAlarm)
)
