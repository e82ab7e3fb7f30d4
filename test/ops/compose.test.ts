/** The compose file: by its schema and a linter; that it opens nothing to the network, holds no secret, and names what is there. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { DCLinter } from "dclint"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"

const root = fileURLToPath(new URL("../..", import.meta.url))
const file = "ops/compose/compose.yaml"
const folder = dirname(file)

const Service = Schema.Struct({
  image: Schema.String,
  build: Schema.optional(Schema.Struct({ context: Schema.String, dockerfile: Schema.String })),
  environment: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { default: () => ({}) }),
  env_file: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  secrets: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  volumes: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  ports: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  networks: Schema.Array(Schema.String),
  read_only: Schema.optionalWith(Schema.Boolean, { default: () => false })
})

const Compose = Schema.Struct({
  services: Schema.Record({ key: Schema.String, value: Service }),
  networks: Schema.Record({ key: Schema.String, value: Schema.Struct({ internal: Schema.optional(Schema.Boolean) }) }),
  secrets: Schema.Record({ key: Schema.String, value: Schema.Struct({ file: Schema.String }) })
})

const compose = Schema.decodeUnknownSync(Compose)(parse(readFileSync(root + file, "utf8"), { merge: true }))
const services = Object.entries(compose.services)

/** Rules about the order of lines are left out. */
const taste = {
  "no-quotes-in-volumes": 0,
  "require-quotes-in-ports": [1, { quoteType: "double" }],
  "service-dependencies-alphabetical-order": 0,
  "service-keys-order": 0,
  "services-alphabetical-order": 0,
  "service-ports-alphabetical-order": 0,
  "top-level-properties-order": 0
} satisfies ConstructorParameters<typeof DCLinter>[0]["rules"]

/** The package's types name a module that it does not contain. */
const Found = Schema.Array(Schema.Struct({ messages: Schema.Array(Schema.Struct({ line: Schema.Number, message: Schema.String })) }))

const findingsOf = (path: string) =>
  Schema.decodeUnknownSync(Found)(new DCLinter({ rules: taste, quiet: false, debug: false, exclude: [] }).lintFiles([path], false)).flatMap(
    ({ messages }) => messages.map(({ line, message }) => `line ${line}: ${message}`)
  )

/** The secrets of a fresh installation. */
const withSecrets = <A>(use: (secrets: string) => A): A => {
  const secrets = mkdtempSync(join(tmpdir(), "sibyl-secrets-"))
  try {
    execFileSync("sh", [join(root, folder, "makeSecrets.sh"), secrets])
    return use(secrets)
  } finally {
    rmSync(secrets, { recursive: true, force: true })
  }
}

const contentsOf = (secrets: string): ReadonlyMap<string, string> =>
  new Map(readdirSync(secrets).map((name) => [name, readFileSync(join(secrets, name), "utf8")]))

describe("the compose file", () => {
  test("keeps the schema of compose files and the linter's rules", () => {
    expect(findingsOf(root + file)).toEqual([])
  })

  test("publishes on loopback only, and names every image with a version", () => {
    expect(services.flatMap(([, { ports }]) => ports).filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([])
    expect(services.map(([, { image }]) => image).filter((image) => !/:v?\d+\.\d+/.test(image))).toEqual([])
  })

  test("mounts and builds from what is there, besides the secrets that the operator makes", () => {
    const mounted = services.flatMap(([, { volumes }]) =>
      volumes.filter((volume) => volume.startsWith(".")).map((volume) => volume.slice(0, volume.indexOf(":")))
    )
    const built = services.flatMap(([, { build }]) => (build === undefined ? [] : [join(build.context, build.dockerfile)]))
    expect([...mounted, ...built].filter((path) => !existsSync(normalize(join(root, folder, path))))).toEqual([])
  })

  test("gives databases and messages a network without the internet, and programs another one", () => {
    const networksOf = (name: string) => compose.services[name]?.networks
    expect(compose.networks["work"]).toEqual({ internal: true })
    expect([networksOf("postgres"), networksOf("nats")]).toEqual([["work"], ["work"]])
    expect(networksOf("executor")).toEqual(["work", "upstreams", "watch"])
    expect(services.filter(([, { image, read_only }]) => image.startsWith("sibyl:") && !read_only)).toEqual([])
  })

  test("has no secret in it: each is a file that makeSecrets.sh makes, and settings of the server are known", () => {
    withSecrets((secrets) => {
      const made = contentsOf(secrets)
      const asked = [...Object.values(compose.secrets).map((secret) => secret.file), ...services.flatMap(([, { env_file }]) => env_file)]
      expect(new Set(asked)).toEqual(new Set([...made.keys()].map((name) => `../secrets/${name}`)))
      const used = services.flatMap(([, service]) => service.secrets)
      expect(new Set(used)).toEqual(new Set(Object.keys(compose.secrets)))
    })
    const environment = services.flatMap(([, service]) => Object.entries(service.environment))
    expect(
      environment.filter(([name]) => /PASSWORD|TOKEN|SECRET/.test(name)).filter(([, value]) => !value.startsWith("/run/secrets/"))
    ).toEqual([])
  })
})

describe("makeSecrets.sh", () => {
  test("makes long secrets that only the owner's folder shows, and keeps those that are there", () => {
    withSecrets((secrets) => {
      const made = contentsOf(secrets)
      execFileSync("sh", [join(root, folder, "makeSecrets.sh"), secrets])
      expect(contentsOf(secrets)).toEqual(made)
      expect(statSync(secrets).mode & 0o777).toBe(0o700)
      const values = [...made.values()].join("\n").match(/p[0-9a-f]{64}/g) ?? []
      // That of the database stands in its address too, the metrics' in both environments, those of NATS on both sides.
      expect([values.length, new Set(values).size]).toEqual([10, 5])
      expect([...made].filter(([name]) => name.endsWith(".env")).map(([name]) => statSync(join(secrets, name)).mode & 0o777)).toEqual([
        0o600, 0o600, 0o600
      ])
    })
  })
})
