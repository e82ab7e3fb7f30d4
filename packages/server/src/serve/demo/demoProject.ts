/** The demonstration's project: made at the first start, found again at every later one. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { VerifyRecord } from "@sibyl/core"
import { type ExampleProgram, examplePrograms, programBytes } from "@sibyl/programs"
import type { Sibyl } from "../../service/sibyl.ts"
import { DemoFailed } from "./demoFailed.ts"

/** Credits of a new demonstration project (decision D31). */
export const demoCredits = 1_000_000n

/** Everything the demonstration shows. */
export interface Demo {
  readonly url: string
  readonly key: string
  readonly keyFile: string
  readonly projectId: string
  /** Whether the project was there already. */
  readonly found: boolean
  readonly cryptoPriceId: string
  /** The other example programs. */
  readonly others: ReadonlyArray<DeployedExample>
}

/** An example program under its id. */
export interface DeployedExample extends ExampleProgram {
  readonly programId: string
}

interface BuiltExample {
  readonly example: ExampleProgram
  readonly bytes: Uint8Array
}

/** Read before anything is made: a checkout that was not built has none. */
const builtExamples: Effect.Effect<ReadonlyArray<BuiltExample>, DemoFailed> = Effect.tryPromise({
  try: () => Promise.all(examplePrograms.map(async (example) => ({ example, bytes: await programBytes(example.name) }))),
  catch: (cause) => new DemoFailed({ message: cause instanceof Error ? cause.message : String(cause) })
})

const deploy = async (oracle: Sibyl, { bytes, example }: BuiltExample): Promise<DeployedExample> => ({
  ...example,
  programId: await oracle.deploy(bytes)
})

const readKey = (file: string): Promise<string | undefined> =>
  readFile(file, "utf8").then(
    (key) => key.trim(),
    () => undefined
  )

/** The project of a key, when the server knows it. */
const ownerOf = async (url: string, key: string): Promise<string | undefined> => {
  const response = await fetch(`${url}/verify`, { headers: { authorization: `Bearer ${key}` } })
  return response.ok ? Schema.decodeUnknownSync(VerifyRecord)(await response.json()).projectId : undefined
}

const makeProject = async (oracle: Sibyl, keyFile: string) => {
  const { projectId } = await oracle.createProject({ organizationSlug: "demo" })
  await oracle.grant(projectId, demoCredits)
  const { key } = await oracle.issueKey(projectId, { name: "demo" })
  await writeFile(keyFile, `${key}\n`, { mode: 0o600 })
  return { key, projectId, found: false }
}

const findProject = async (oracle: Sibyl, url: string, keyFile: string) => {
  const key = await readKey(keyFile)
  const projectId = key === undefined ? undefined : await ownerOf(url, key)
  return key === undefined || projectId === undefined ? makeProject(oracle, keyFile) : { key, projectId, found: true }
}

/** Deploys the example programs, finds or makes the project. The key lies in `demo-key` in `dataFolder`, mode 0600. */
export const prepareDemo = (oracle: Sibyl, dataFolder: string, url: string): Effect.Effect<Demo, DemoFailed> =>
  Effect.flatMap(builtExamples, (built) =>
    Effect.promise(async () => {
      const deployed = await Promise.all(built.map((example) => deploy(oracle, example)))
      const cryptoPriceId = deployed.find(({ name }) => name === "crypto-price")?.programId ?? ""
      const others = deployed.filter(({ name }) => name !== "crypto-price")
      const keyFile = join(dataFolder, "demo-key")
      return { url, keyFile, cryptoPriceId, others, ...(await findProject(oracle, url, keyFile)) }
    })
  )
