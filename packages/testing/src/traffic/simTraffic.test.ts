/** The service conforms under any traffic, on simulated time, killed and started again at any moment. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { soakCount } from "../soak/soakCount.ts"
import { conforms, type PlayedSequence } from "./conforms.ts"
import { openSimTarget } from "./sim/openSimTarget.ts"

/** What sequences met: statuses, tags of errors, messages, ends of sockets, crashes. */
const meetingsOf = ({ history }: PlayedSequence): ReadonlyArray<string> => [
  ...history.calls.map(({ answer }) => (answer === undefined ? "no answer" : `status ${answer.status}`)),
  ...history.sockets.flatMap(({ ended, heard }) => [
    ...(ended === undefined ? [] : [`closed ${ended.code} by the ${ended.by}`]),
    ...heard.map(({ text }) => /"method":"([^"]+)"/.exec(text)?.[1] ?? /"_tag":"(\w+)"/.exec(text)?.[1] ?? "another message")
  ]),
  ...history.crashes.map(() => "crash"),
  ...history.outages.map(() => "outage"),
  ...history.keys.flatMap(({ revoked }) => (revoked === undefined ? [] : ["revocation"]))
]

test("the service over stores in memory", { timeout: 3_600_000 }, async () => {
  const met = new Set<string>()
  const onSequence = (played: PlayedSequence): void => {
    for (const meeting of meetingsOf(played)) met.add(meeting)
  }
  await fc.assert(conforms(openSimTarget(), { onSequence }), { numRuns: soakCount({ everyday: 60, full: 2_000 }) })
  // Otherwise the generator would produce next to nothing.
  const common = ["200", "400", "401", "404", "405", "599"].map((status) => `status ${status}`)
  const others = [
    "feed.result",
    "authorized",
    "ExecuteResponse",
    "InvalidParameter",
    "crash",
    "outage",
    "revocation",
    "closed 1006 by the crash"
  ]
  for (const meeting of [...common, ...others]) expect([...met], meeting).toContain(meeting)
})
