/** What the doctor says of a cluster: each fault of a survey, and real servers. */
import type { NetSurvey, SeenExecutor } from "@sibyl/cluster"
import { describe, expect, it } from "vitest"
import type { ClusterConfiguration } from "../config/configuration.ts"
import { serverVersion } from "../output/version.ts"
import { clusterFindings } from "./examineCluster.ts"

const cluster: ClusterConfiguration = { nats: { servers: ["nats://nats.internal:4222"] }, net: "default", zone: "" }

const executor: SeenExecutor = {
  id: "a1",
  zone: "",
  free: 16,
  engine: "v8",
  version: serverVersion,
  isUnderstood: true,
  clockAheadMs: 3
}

const healthy: NetSurvey = {
  server: { version: "2.14.1", maxPayloadBytes: 8_388_608 },
  roundTripMs: 0.21,
  executors: [executor, { ...executor, id: "b2", clockAheadMs: -4 }],
  mayHear: true,
  otherVersions: [],
  refused: []
}

const found = (survey: Partial<NetSurvey>, of = cluster) =>
  Object.fromEntries(clusterFindings({ ...healthy, ...survey }, of).map((finding) => [finding.check, finding]))

describe("the doctor on a cluster", () => {
  it("accepts one that is well", () => {
    const all = found({})
    expect(Object.values(all).map(({ status }) => status)).toEqual(["ok", "ok", "ok", "ok", "ok", "ok"])
    expect(all["executors"]?.message).toBe(`2 of net default, room for 32 runs; engine v8; version ${serverVersion}`)
    expect(all["executors' clocks"]?.message).toBe("within 4 ms of this machine's")
  })

  it("fails where no executor takes runs", () => {
    const leaving: SeenExecutor = { ...executor, free: 0, takesNone: true }
    expect(found({ executors: [leaving] })["executors"]).toMatchObject({
      status: "failed",
      message: expect.stringContaining("being stopped")
    })
    expect(found({ executors: [leaving, executor] })["executors"]).toMatchObject({ status: "ok" })
    expect(found({ executors: [{ ...executor, free: 0 }] })["executors"]).toMatchObject({ status: "ok" })
  })

  it("warns of a line of NATS without repairs, except on loopback", () => {
    const server = { version: "2.9.10", maxPayloadBytes: 8_388_608 }
    expect(found({ server })["nats"]).toMatchObject({ status: "warning", message: expect.stringContaining("2.9.10") })
    for (const address of ["nats://127.0.0.1:4222", "nats://localhost:4222", "nats://[::1]:4222"]) {
      expect(found({ server }, { ...cluster, nats: { servers: [address] } })["nats"], address).toMatchObject({ status: "ok" })
    }
    expect(found({ server: { ...server, version: "3.0.0" } })["nats"]).toMatchObject({ status: "ok" })
  })

  it("warns of messages that are bounded too low, of a slow way, and of clocks apart", () => {
    expect(found({ server: { version: "2.14.1", maxPayloadBytes: 1_048_576 } })["nats max_payload"]).toMatchObject({
      status: "warning",
      message: "1,048,576 bytes: set max_payload: 8388608, or large runs go in many parts"
    })
    expect(found({ roundTripMs: 80 })["nats round trip"]).toMatchObject({ status: "warning" })
    expect(found({ executors: [{ ...executor, clockAheadMs: -5_000 }] })["executors' clocks"]).toMatchObject({
      status: "warning",
      message: expect.stringContaining("5000 ms")
    })
  })

  it("fails where NATS does not let its user be an edge, and names the subjects", () => {
    const all = found({ executors: [], mayHear: false, refused: ["publish to sibyl.run.default", "subscribe to sibyl.beat.default"] })
    expect(all["nats permissions"]).toEqual({
      check: "nats permissions",
      status: "failed",
      message:
        "as an edge, this user may not: publish to sibyl.run.default; subscribe to sibyl.beat.default (doctor --executor looks for an executor's)"
    })
    expect(all["executors"]).toMatchObject({ status: "skipped" })
  })

  it("fails without an executor, and with none that understands; mixed versions are a warning", () => {
    expect(found({ executors: [] })["executors"]).toMatchObject({
      status: "failed",
      message: "nobody serves the net default: start sibyl executor with --net default"
    })
    expect(found({ executors: [], otherVersions: [2] })["executors"]).toMatchObject({
      status: "failed",
      message: "there are executors that speak version 2 of the contract, which this server does not understand: update one or the other"
    })
    expect(found({ otherVersions: [2] })["executors"]).toMatchObject({
      status: "warning",
      message: expect.stringContaining("version 2 of")
    })
    const newer = { ...executor, version: "9.0.0" }
    expect(found({ executors: [{ ...newer, isUnderstood: false }] })["executors"]).toMatchObject({ status: "failed" })
    expect(found({ executors: [executor, newer] })["executors"]).toMatchObject({
      status: "warning",
      message: expect.stringContaining("9.0.0")
    })
    expect(found({ executors: [executor, { ...executor, engine: "jsc" }] })["executors"]).toMatchObject({ status: "warning" })
  })
})
