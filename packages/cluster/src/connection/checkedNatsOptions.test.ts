/** Options are refused by name, and no secret is in a message. */
import { Effect, Either, Redacted } from "effect"
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import type { PeerCertificate } from "node:tls"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { identityOf } from "./serverIdentity.ts"
import { checkedNatsOptions } from "./checkedNatsOptions.ts"
import type { NatsOptions } from "./natsOptions.ts"

const servers = ["nats://127.0.0.1:4222"]
const check = (options: NatsOptions) => Effect.runPromise(Effect.either(checkedNatsOptions(options)))
const refusal = async (options: NatsOptions): Promise<string> => {
  const checked = await check(options)
  return Either.isLeft(checked) ? `${checked.left.field}: ${checked.left.message}` : "accepted"
}

describe("the options of a connection", () => {
  it("name servers by address, with NATS's port if there is none", async () => {
    const checked = Either.getOrThrow(await check({ servers: ["nats://one", "nats://[::1]:5000"] }))
    expect(checked.servers).toEqual(["one:4222", "[::1]:5000"])
    expect(checked.client.tls).toBeUndefined()
    expect(await refusal({ servers: [] })).toMatch(/^servers/)
    for (const server of ["127.0.0.1:4222", "http://one", "nats://", "one"])
      expect(await refusal({ servers: [server] })).toMatch(/^servers/)
  })

  it("encrypt where one server is named so, or files are given", async () => {
    expect(Either.getOrThrow(await check({ servers: ["tls://one"] })).client.tls).toBeTypeOf("object")
    const caFile = fileURLToPath(import.meta.url)
    expect(Either.getOrThrow(await check({ servers, tls: { caFile } })).client.tls).toMatchObject({ caFile })
    expect(await refusal({ servers, tls: { caFile: "/absent/ca.pem" } })).toBe(
      "caFile: caFile /absent/ca.pem cannot be read: there is no such file"
    )
  })

  it("name files that end: neither devices nor folders, and none that is longer than any key", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sibyl-test-"))
    try {
      const long = join(folder, "long")
      writeFileSync(long, "")
      truncateSync(long, 16 * 2 ** 20 + 1)
      for (const [path, why] of [
        ["/dev/zero", "it is no regular file"],
        [folder, "it is no regular file"],
        [long, "it is larger than 16 MiB"]
      ] as const) {
        const said = `cannot be read: ${why}`
        expect(await refusal({ servers, credentialsFile: path })).toBe(`credentialsFile: credentialsFile ${path} ${said}`)
        expect(await refusal({ servers, tls: { keyFile: path } })).toBe(`keyFile: keyFile ${path} ${said}`)
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("ask for a certificate of the address that is configured, and not of localhost in its place", () => {
    const issued = (subjectaltname: string) => ({ subject: { CN: "x" }, subjectaltname }) as PeerCertificate
    const [byAddress, byName] = [identityOf(["127.0.0.1", "[::1]"]), identityOf(["nats.internal"])]
    expect(byAddress("localhost", issued("IP Address:127.0.0.1"))).toBeUndefined()
    expect(byAddress("localhost", issued("IP Address:0:0:0:0:0:0:0:1"))).toBeUndefined()
    for (const other of ["IP Address:127.0.0.2", "DNS:localhost"]) expect(byAddress("localhost", issued(other))).toBeInstanceOf(Error)
    expect(identityOf(["127.0.0.1", "localhost"])("localhost", issued("DNS:localhost"))).toBeUndefined()
    expect(byName("nats.internal", issued("DNS:nats.internal"))).toBeUndefined()
    expect(byName("nats.internal", issued("DNS:other.internal"))).toBeInstanceOf(Error)
  })

  it("have one way in", async () => {
    const secret = Redacted.make("s3cret")
    expect(await refusal({ servers, user: "u", password: secret, token: secret })).toMatch(/^user and token/)
    expect(await refusal({ servers, password: secret })).toMatch(/^password: password needs a user/)
    expect(await refusal({ servers, user: "u", password: secret })).toBe("accepted")
  })

  it("never show a secret, right or wrong", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sibyl-test-"))
    try {
      const file = join(folder, "user.creds")
      writeFileSync(file, "s3cret")
      const said = [
        await refusal({ servers: ["nats://user:s3cret@one"] }),
        await refusal({ servers, nkeySeed: Redacted.make("s3cret") }),
        await refusal({ servers, credentialsFile: file }),
        await refusal({ servers, credentialsFile: join(folder, "absent") })
      ]
      expect(said.map((text) => text.split(":")[0])).toEqual(["servers", "nkeySeed", "credentialsFile", "credentialsFile"])
      expect(said.join()).not.toContain("s3cret")
      expect(inspect({ servers, token: Redacted.make("s3cret") }, { depth: 9 })).not.toContain("s3cret")
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
