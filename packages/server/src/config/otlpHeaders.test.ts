/** Headers for the collector: read as they are meant, or refused. */
import { Effect } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import { loadConfiguration } from "./loadConfiguration.ts"
import { readOtlpHeaders } from "./otlpHeaders.ts"

test("headers are read with their names in lower case and their values decoded", () => {
  expect(readOtlpHeaders("Authorization=Bearer%20abc, x-tenant = ten=ant ,")).toEqual([
    ["authorization", "Bearer abc"],
    ["x-tenant", "ten=ant"]
  ])
  expect(readOtlpHeaders("x-rate=100%")).toEqual([["x-rate", "100%"]])
  expect(readOtlpHeaders("")).toEqual([])
})

test("a list in which one is no header is refused", () => {
  for (const list of ["bad name=x", "none", "=x", "a=b,c", "a=b, =c", "a=%0d%0ab=c", "a=%E2%82%AC"])
    expect([list, readOtlpHeaders(list)]).toEqual([list, undefined])
})

test("what is written with its values percent-encoded is read again", () => {
  const names = fc.stringMatching(/^[a-z0-9-]{1,12}$/)
  const values = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/)
  fc.assert(
    fc.property(fc.array(fc.tuple(names, values)), (headers) => {
      expect(readOtlpHeaders(headers.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join(","))).toEqual(headers)
    })
  )
})

test("a list that is refused is called by the variable that it came from, and not repeated", async () => {
  const of = async (environment: Readonly<Record<string, string>>) => {
    const { field, message } = await Effect.runPromise(Effect.flip(loadConfiguration({ config: undefined, settings: {} }, environment)))
    expect(message).toMatch(new RegExp(`^${field} must be headers as name=value`))
    expect(message).not.toContain("t0ken")
    return field
  }
  expect(await of({ OTEL_EXPORTER_OTLP_HEADERS: "t0ken" })).toBe("OTEL_EXPORTER_OTLP_HEADERS")
  expect(await of({ OTEL_EXPORTER_OTLP_HEADERS: "a=b", SIBYL_OTLP_HEADERS: "bad name=t0ken" })).toBe("SIBYL_OTLP_HEADERS")
})
