/** One case, in its own process: B10, the scheduler itself with many feeds whose run does nothing, but has its own fiber. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { Feeds } from "../../packages/core/dist/services/feeds/feeds.js"
import { layerRuntimeAlarm } from "../../packages/server/dist/service/runtimeAlarm.js"
import { Lateness, watch } from "./lateness.mjs"
import { rest, startEvenly } from "./startEvenly.mjs"

const { feeds, seconds, startSeconds } = JSON.parse(process.argv[2])
const lateness = new Lateness()
const scheduler = await ManagedRuntime.make(Layer.provide(Feeds.layer, layerRuntimeAlarm)).runPromise(Feeds)
const deliver = ({ scheduledAtMs, startedAtMs }) => lateness.add(scheduledAtMs, startedAtMs)
const plan = { mode: "FIXED", periodMs: 1_000, maxOverlap: 1, run: Effect.void, deliver }

await startEvenly(feeds, startSeconds, () => {
  scheduler.start(plan)
})
await rest(3_000)
process.stdout.write(JSON.stringify({ feeds, failed: 0, ...(await watch(lateness, seconds, feeds)) }))
process.exit()
