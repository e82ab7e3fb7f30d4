/** The precedence of settings, and the message for an invalid one: properties over every setting. */
import { Either, Redacted } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { environmentName } from "./environmentNames.ts"
import { type Origin, readSettings, type SettingSources } from "./readSettings.ts"
import { type SettingName, settingNames, settings } from "./settings.ts"

/** Two values of every kind, as text and as in a configuration file. */
const samples = (name: SettingName): ReadonlyArray<readonly [text: string, json: unknown]> => {
  const { rule } = settings[name].kind
  if (name === "consensusFilter")
    return [
      ["00", "00"],
      ["01", "01"]
    ]
  if (name === "prefix")
    return [
      ["/a", "/a"],
      ["/b/c", "/b/c"]
    ]
  const [, from] = /^a whole number from (\d+) /.exec(rule) ?? []
  if (rule.startsWith("a whole number")) return [7, 19].map((above) => [String(Number(from ?? 0) + above), Number(from ?? 0) + above])
  if (rule === "true or false")
    return [
      ["true", true],
      ["false", false]
    ]
  if (rule.startsWith("a span"))
    return [
      ["24h", "24h"],
      ["forever", "forever"]
    ]
  if (rule.startsWith("sqlite:"))
    return [
      ["sqlite:a", "sqlite:a"],
      ["postgres://a:b@c/d", "postgres://a:b@c/d"]
    ]
  if (rule.startsWith("a list of origins"))
    return [
      ["https://a.example", ["https://a.example"]],
      ["https://b.example,http://localhost:3000", ["https://b.example", "http://localhost:3000"]]
    ]
  if (rule.startsWith("a list of nats:"))
    return [
      ["nats://a:1", ["nats://a:1"]],
      ["tls://b:2,tls://c", ["tls://b:2", "tls://c"]]
    ]
  if (rule.startsWith("an http"))
    return [
      ["http://a:1", "http://a:1"],
      ["https://b/c", "https://b/c"]
    ]
  if (rule.startsWith("headers"))
    return [
      ["a=b", "a=b"],
      ["c=d,e=f", "c=d,e=f"]
    ]
  if (rule.startsWith("a list"))
    return [
      ["a.example", ["a.example"]],
      ["b,*.c.example", ["b", "*.c.example"]]
    ]
  if (rule.startsWith("an object { host: origin }"))
    return [
      ["{}", {}],
      ['{"a":"http://b"}', { a: "http://b" }]
    ]
  if (rule.startsWith("an object"))
    return [
      ["{}", {}],
      ['{"a":{"b":{"env":"C"}}}', { a: { b: { env: "C" } } }]
    ]
  if (/^\S+ or /.test(rule))
    return rule
      .split(" or ")
      .slice(0, 2)
      .map((word) => [word, word])
  return [
    ["a", "a"],
    ["b", "b"]
  ]
}

const fileWith = (name: string, json: unknown): object => {
  const [group = "", member] = name.split(".")
  return member === undefined ? { [group]: json } : { [group]: { [member]: json } }
}

const read = (sources: Partial<SettingSources>) => readSettings({ flags: {}, environment: {}, file: undefined, ...sources })

const failure = (sources: Partial<SettingSources>) => Either.getOrThrow(Either.flip(read(sources)))

const file = (json: unknown) => ({ path: "sibyl.json", json })

/** A value in a comparable form. */
const plain = (value: unknown): unknown => (Redacted.isRedacted(value) ? Redacted.value(value) : value)

const level = fc.constantFrom(0, 1, undefined)

describe("a setting", () => {
  it.each(settingNames)("%s is taken from the highest source that has it", (name) => {
    fc.assert(
      fc.property(level, level, level, (inFile, inEnvironment, inFlag) => {
        const values = samples(name)
        expect(values).toHaveLength(2)
        const result = Either.getOrThrow(
          read({
            ...(inFile === undefined ? {} : { file: file(fileWith(name, values[inFile]?.[1])) }),
            ...(inEnvironment === undefined ? {} : { environment: { [environmentName(name)]: values[inEnvironment]?.[0] } }),
            ...(inFlag === undefined ? {} : { flags: { [name]: values[inFlag]?.[0] ?? "" } })
          })
        )
        const chosen = inFlag ?? inEnvironment ?? inFile
        const origin: Origin =
          inFlag !== undefined ? "flag" : inEnvironment !== undefined ? "environment" : inFile === undefined ? "default" : "file"
        const expected = chosen === undefined ? undefined : settings[name].kind.decode(values[chosen]?.[1])
        expect(result.origins.get(name)).toBe(origin)
        expect(plain(result.values[name])).toEqual(expected && plain(Either.getOrThrow<unknown, unknown>(expected)))
      })
    )
  })

  it("has an environment variable of its own", () => {
    expect(new Set(settingNames.map(environmentName)).size).toBe(settingNames.length)
    expect(environmentName("limits.execWallClockMs")).toBe("SIBYL_LIMITS_EXEC_WALL_CLOCK_MS")
    expect(environmentName("chainId")).toBe("SIBYL_CHAIN_ID")
  })

  it("must be valid even if a higher source overrides it", () => {
    expect(failure({ flags: { port: "1" }, environment: { SIBYL_PORT: "x" } }).message).toBe(
      'SIBYL_PORT must be a whole number from 0 to 65535, not "x"'
    )
  })
})

describe("a mistake is reported with field, rule and the nearest valid name", () => {
  const cases: ReadonlyArray<readonly [what: string, sources: Partial<SettingSources>, message: string]> = [
    ["an unknown name in the file", { file: file({ prot: 1 }) }, "sibyl.json: prot is not a setting; did you mean port?"],
    [
      "an unknown member of a group",
      { file: file({ limits: { feedOverlaps: 1 } }) },
      "sibyl.json: limits.feedOverlaps is not a setting; did you mean limits.feedOverlap?"
    ],
    [
      "a member without its group",
      { file: file({ gasPerCredit: 1 }) },
      "sibyl.json: gasPerCredit is not a setting; did you mean tariff.gasPerCredit?"
    ],
    ["a name like none", { file: file({ colour: "red" }) }, "sibyl.json: colour is not a setting"],
    ["a group that is none", { file: file({ limits: 3 }) }, "sibyl.json: limits must be an object of settings"],
    ["a file that is no object", { file: file([]) }, "sibyl.json: the whole must be one JSON object"],
    ["an unknown variable", { environment: { SIBYL_NETWROK: "a" } }, "SIBYL_NETWROK is not a setting; did you mean SIBYL_NETWORK?"],
    ["an unknown name behind --set", { flags: { "tarif.base": "1" } }, "tarif.base is not a setting; did you mean tariff.base?"],
    ["a port out of range", { flags: { port: "65536" } }, "--port must be a whole number from 0 to 65535, not 65536"],
    ["a text for a number", { file: file({ workers: "2" }) }, 'sibyl.json: workers must be a whole number from 1 to 1024, not "2"'],
    ["a word that is none of them", { flags: { profile: "public" } }, '--profile must be specification or public-network, not "public"'],
    [
      "a fraction of a credit",
      { file: file({ tariff: { base: 0.5 } }) },
      "sibyl.json: tariff.base must be a whole number, 0 or more, not 0.5"
    ],
    [
      "a price of nothing for gas",
      { environment: { SIBYL_TARIFF_GAS_PER_CREDIT: "0" } },
      'SIBYL_TARIFF_GAS_PER_CREDIT must be a whole number, 1 or more, not "0"'
    ],
    [
      "a header with its secret in the file",
      { file: file({ outbound: { hostHeaders: { a: { b: "secret" } } } }) },
      'sibyl.json: outbound.hostHeaders must be an object { host: { header: { "env": NAME } or { "file": PATH } } }; as text: in JSON'
    ],
    [
      "two names for the database",
      { flags: { database: "sqlite:a", databaseFile: "b" } },
      "databaseFile must be given without database: only one of them can name the database"
    ]
  ]

  it.each(cases)("%s", (_what, sources, message) => {
    const error = failure(sources)
    expect(error).toMatchObject({ _tag: "InvalidConfiguration", message })
    expect(error.rule).not.toBe("")
    expect(message).toContain(error.field)
  })

  it("in a part of a database's address", () => {
    const of = (address: string) => failure({ flags: { database: address } }).message
    const modes = "disable, prefer, require, verify-ca, verify-full, no-verify"
    expect(of("postgres://me:secret@host/db?sslmode=reqire")).toBe(
      `--database: sslmode in the address of the database must be one of ${modes}`
    )
    expect(of("postgres://me:secret@host:99999/db")).toBe(
      "--database: the address of the database is not of the form postgres://USER:PASSWORD@HOST:PORT/NAME"
    )
    const environment = { SIBYL_CLUSTER_SERVERS: "nats://host:99999" }
    expect(failure({ environment })).toMatchObject({ field: "SIBYL_CLUSTER_SERVERS", message: expect.stringContaining("nats://HOST:PORT") })
  })

  it("without repeating a secret", () => {
    const error = failure({ environment: { SIBYL_DATABASE: "mysql://me:secret@host/db" } })
    expect(error.message).toBe("SIBYL_DATABASE must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME")
    const address = failure({ flags: { "cluster.servers": "nats://me:secret@host:4222" } })
    expect(address.message).toMatch(/^--cluster must be a list of nats:.+, without user or password/)
    expect(address.message).not.toContain("secret")
    expect(failure({ environment: { SIBYL_CLUSTER_TOKEN: "secret\n" } }).message).toBe("SIBYL_CLUSTER_TOKEN must be a secret of one line")
  })
})

describe("database and databaseFile", () => {
  it("override each other across sources", () => {
    const result = Either.getOrThrow(read({ file: file({ databaseFile: "a" }), environment: { SIBYL_DATABASE: "sqlite:b" } }))
    expect(result.values.databaseFile).toBeUndefined()
    expect(plain(result.values.database)).toBe("sqlite:b")
    expect(result.origins.get("databaseFile")).toBe("default")
  })
})
