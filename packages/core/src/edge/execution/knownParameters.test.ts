/** Parameters that are remembered by the text of their request. */
import { Effect, Either } from "effect"
import { expect, it } from "vitest"
import { InvalidParameter } from "../../contract/errors.ts"
import { openTestService, seamRequest } from "../../testdata/testService.ts"
import type { ExecuteParameters } from "./executeParameters.ts"
import { KnownParameters } from "./knownParameters.ts"

const parameters = (execProgramId: string): ExecuteParameters => ({
  key: { execProgramId, execInputs: new Uint8Array(), tallyProgramId: execProgramId, tallyInputs: new Uint8Array() },
  options: { execProgramId }
})

const known = () => Effect.runSync(Effect.provide(KnownParameters, KnownParameters.layer))

it("are the same object for the same text and limit, and read again for another", () => {
  const { read } = known()
  let reads = 0
  const ask = (text: string, limit: number) =>
    Either.getOrThrow(
      read(text, limit, () => {
        reads += 1
        return Either.right(parameters(text))
      })
    )
  expect(ask("?a", 10)).toBe(ask("?a", 10))
  expect(ask("?a", 11)).not.toBe(ask("?a", 10))
  expect(ask("?b", 10)).not.toBe(ask("?a", 10))
  expect(reads).toBe(3)
})

it("are not kept of a refusal, nor of a long text", () => {
  const { read } = known()
  const refused = () => Either.left(InvalidParameter.because("execProgramId", "is required"))
  expect(Either.isLeft(read("?a", 10, refused))).toBe(true)
  expect(Either.isRight(read("?a", 10, () => Either.right(parameters("a"))))).toBe(true)
  const long = "?".padEnd(5_000, "a")
  const first = read(long, 10, () => Either.right(parameters("a")))
  expect(read(long, 10, refused)).not.toEqual(first)
})

it("of a GET are never those of a POST with the same characters", async () => {
  const { execProgramId, key, requests, service } = await openTestService()
  const headers = { authorization: `Bearer ${key}` }
  const url = `/execute?execProgramId=${execProgramId}`
  const inputs = `{"execInputs":"of a body"}`
  const statuses = []
  for (const round of [1, 2]) {
    statuses.push((await service.fetch(seamRequest("GET", url, { headers })))?.status)
    statuses.push((await service.fetch(seamRequest("POST", url, { headers, body: inputs })))?.status)
    statuses.push((await service.fetch(seamRequest("GET", `${url}${encodeURIComponent(inputs)}`, { headers })))?.status)
    expect(
      requests.filter(({ phase }) => phase === "exec").map(({ args }) => args[0]),
      String(round)
    ).toHaveLength(2 * round)
  }
  expect(statuses).toEqual([200, 200, 400, 200, 200, 400])
  const given = requests.filter(({ phase }) => phase === "exec").map(({ args }) => args[0])
  const body = Buffer.from("of a body").toString("hex")
  expect(given).toEqual(["", body, "", body])
  await service.dispose()
})
