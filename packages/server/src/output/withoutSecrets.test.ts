/** Whatever text a secret is in, and however it is written there, it is taken out. */
import { jsonLine } from "@sibyl/telemetry"
import { Cause, Effect, Logger } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hideBytes, hideTexts, withoutSecrets } from "./withoutSecrets.ts"

const seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"

/** The line of a log in which something is a message, a cause, a field and a part of a field. */
const lineOf = (value: string): string => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>((entry) => void lines.push(jsonLine(entry, withoutSecrets)))
  const entry = Effect.annotateLogs(Effect.logError(value, { inside: [value] }, Cause.die(new Error(value))), { field: value })
  Effect.runSync(Effect.provide(entry, Logger.replace(Logger.defaultLogger, logger)))
  return lines.join("\n")
}

describe("a secret that this process has read", () => {
  const text = fc.string({ unit: "grapheme-ascii", minLength: 12, maxLength: 40 }).filter((some) => /[a-z]{3}/i.test(some))

  it("is in no line of a log, however it is written", () => {
    fc.assert(
      fc.property(text, (secret) => {
        hideTexts([secret])
        const bytes = Buffer.from(secret)
        const forms = [secret, encodeURIComponent(secret), bytes.toString("base64"), bytes.toString("base64url"), JSON.stringify(secret)]
        for (const form of forms) {
          const line = lineOf(`before ${form} after`)
          expect(line).toContain("<secret>")
          for (const hidden of [...forms.slice(0, -1), JSON.stringify(secret).slice(1, -1)]) expect(line).not.toContain(hidden)
        }
      }),
      { numRuns: 30 }
    )
  })

  it("is found as bytes, too", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (secret) => {
        hideBytes(secret)
        const buffer = Buffer.from(secret)
        const hex = buffer.toString("hex")
        const forms = [hex, `0x${hex}`, hex.toUpperCase(), buffer.toString("base64"), [...secret].join(","), JSON.stringify(secret)]
        for (const form of [...forms, JSON.stringify(buffer), buffer.toString("base64url"), [...secret].join(", ")]) {
          expect(withoutSecrets(`before ${form} after`)).toMatch(/^before \S*<secret>\S* after$/)
        }
      }),
      { numRuns: 30 }
    )
  })

  it("leaves masked texts as they are, also where the secret is the word of the mask", () => {
    const login = "nats://edge:secret@one:4222"
    const key = "sibyl_local_0123456789ab_AbC123"
    const once = withoutSecrets(`${login} ${key}`)
    hideTexts(["secret"])
    expect(withoutSecrets(once)).toBe("nats://<secret>@one:4222 sibyl_local_0123456789ab_<secret>")
    expect(withoutSecrets(withoutSecrets("my secret"))).toBe("my <secret>")
  })

  it("takes the longest first, and nothing that is too short to be one", () => {
    hideTexts(["part-of-it", "part-of-it-and-more", "short"])
    expect(withoutSecrets("part-of-it-and-more, short")).toBe("<secret>, short")
  })
})

describe("a secret of a known form", () => {
  it.each([
    ["nats://edge:s3cret-word@one:4222,nats://t0ken@two", "nats://<secret>@one:4222,nats://<secret>@two"],
    ["postgres://sibyl:p%40ss:w0rd@db/sibyl", "postgres://<secret>@db/sibyl"],
    [`the seed ${seed}.`, "the seed <secret>."],
    ["-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----\n", "<secret>\n"],
    ["Bearer sibyl_local_0123456789ab_AbC123,", "Bearer sibyl_local_0123456789ab_<secret>,"],
    ["sibyl.ticket.sibylt_my-net_0123456789abcdef_AbC123;", "sibyl.ticket.sibylt_my-net_0123456789abcdef_<secret>;"]
  ])("is taken out of %s", (given, wanted) => {
    expect(withoutSecrets(given)).toBe(wanted)
  })

  it.each(["https://api.example.com/a@b?c=d@e", "nats://127.0.0.1:4222", "mail to a@b", "sibyl_local_0123456789ab", seed.toLowerCase()])(
    "is not seen in %s",
    (given) => {
      expect(withoutSecrets(given)).toBe(given)
    }
  )
})

describe("the placeholders of a rule", () => {
  it("are shown, and what is not exactly them is not", () => {
    const rule = "SIBYL_DATABASE must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME"
    expect(withoutSecrets(rule)).toBe(rule)
    for (const login of ["USER:PASSWORD1", "USER1:PASSWORD", "user:PASSWORD", "USER:PASSWORD@x", "USER:PASSWORD@HOST:5"]) {
      expect(withoutSecrets(`postgres://${login}@HOST/NAME`)).not.toContain(login)
    }
  })
})
