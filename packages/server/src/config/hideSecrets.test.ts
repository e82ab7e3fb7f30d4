/** Every setting that may contain a secret is masked in whatever the process prints; a new one is to be added here. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { withoutSecrets } from "../output/withoutSecrets.ts"
import { loadConfiguration } from "./loadConfiguration.ts"
import { type SettingName, settingNames, settings } from "./settings.ts"

const jwt = `eyJ0eXAiOiJKV1QifQ.${"eyJqdGkiOiJ".repeat(4)}.signature-of-the-user`
const credentials = `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n\n*************************\n`
const privateKey = "MHcCAQEEIBkg8H3Oq9jwW5m2gX0s1rWc7u4Yl6nQ"

/** Each setting with a value, and the secrets in it. */
const samples: Partial<Record<SettingName, readonly [value: string, secrets: ReadonlyArray<string>]>> = {
  database: ["postgres://sibyl:d%40tabase-password@db/sibyl", ["d%40tabase-password", "d@tabase-password"]],
  "otlp.headers": [
    "authorization=Bearer%20collect0r-token,x-tenant=ten%40nt-secret",
    ["collect0r-token", "ten%40nt-secret", "ten@nt-secret"]
  ],
  "metrics.token": ["metrics-t0ken", ["metrics-t0ken"]],
  "outbound.hostHeaders": ['{"api.example.com":{"x-key":{"env":"UPSTREAM_KEY"}}}', ["upstream-secret-key"]],
  "cluster.password": ["nats-passw0rd", ["nats-passw0rd"]],
  "cluster.token": ["nats-t0ken", ["nats-t0ken"]],
  "cluster.nkeySeed": ["nkey-s33d", ["nkey-s33d"]],
  "cluster.credentialsFile": ["user.creds", [jwt]],
  "cluster.keyFile": ["client.key", [privateKey]],
  // Have no user or password: an address with one is refused, without repeating it.
  "cluster.servers": ["nats://127.0.0.1:4222", []],
  "otlp.endpoint": ["http://collector", []]
}

test("every secret of a configuration", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sibyl-secrets-"))
  try {
    await writeFile(join(folder, "user.creds"), credentials)
    await writeFile(join(folder, "client.key"), `-----BEGIN PRIVATE KEY-----\n${privateKey}\n-----END PRIVATE KEY-----\n`)
    const mayBeSecret = settingNames.filter((name) => settings[name].kind.secret === true)
    expect(Object.keys(samples)).toEqual(expect.arrayContaining([...mayBeSecret]))
    for (const [name, [value, secrets]] of Object.entries(samples)) {
      const text = name.endsWith("File") ? join(folder, value) : value
      const flags = {
        config: undefined,
        settings: { "cluster.servers": "nats://127.0.0.1:4222", "otlp.endpoint": "http://c", [name]: text }
      }
      await Effect.runPromise(loadConfiguration(flags, { UPSTREAM_KEY: "upstream-secret-key" }))
      for (const secret of secrets) expect(withoutSecrets(`${name} is ${secret}.`)).toBe(`${name} is <secret>.`)
    }
    const addresses = [
      ["cluster.servers", "--cluster", "nats://edge:passw0rd-in-address@one"],
      ["otlp.endpoint", "otlp.endpoint", "http://c/?key=passw0rd-in-address"]
    ] as const
    for (const [name, told, address] of addresses) {
      const failure = await Effect.runPromise(Effect.flip(loadConfiguration({ config: undefined, settings: { [name]: address } }, {})))
      expect(failure.field).toBe(told)
      expect(failure.message).not.toContain("passw0rd-in-address")
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
