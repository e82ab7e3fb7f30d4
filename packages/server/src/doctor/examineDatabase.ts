/** Examines the database without changing it: whether it opens, its schema, network, signing key and clock. */
import { existsSync } from "node:fs"
import { Entropy, keyAt, Signer } from "@sibyl/core"
import { recoverSigner } from "@sibyl/core/internal"
import {
  comingWithoutSecret,
  damagesOfDatabase,
  defaultConnections,
  type DatabaseState,
  differenceOfClocks,
  grantedConnections,
  inspectDatabase,
  lostContent,
  listSigningKeys,
  secretOfKey
} from "@sibyl/sql"
import { Clock, Effect, Either, Layer } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { momentText } from "../input/moment.ts"
import { layerLocalSigner } from "../service/signing/localSigner.ts"
import { layerDatabaseAsItIs, sqliteFileOf } from "../service/stores.ts"
import { diskFindings } from "./examineDisk.ts"
import { type Finding, finding, firstLine, orFailed } from "./finding.ts"
import { whyNotMade } from "./whyNotMade.ts"

const schemaFinding = ({ mayMakeTables, newestSchemaVersion, schemaVersion }: DatabaseState): Finding => {
  const check = "schema"
  const versions = `version ${schemaVersion} of ${newestSchemaVersion}`
  if (schemaVersion < newestSchemaVersion && !mayMakeTables) {
    return finding(check, "failed", `${versions}, and this user may make no tables: GRANT CREATE ON SCHEMA, or make it the schema's owner`)
  }
  if (schemaVersion === 0) return finding(check, "ok", "empty; it is made at the first start")
  if (schemaVersion > newestSchemaVersion) {
    return finding(check, "failed", `${versions}: a newer Sibyl has opened this database; update this one`)
  }
  return schemaVersion === newestSchemaVersion
    ? finding(check, "ok", versions)
    : finding(check, "warning", `${versions}: it is brought up to date at the next start; make a backup first`)
}

const networkFinding = ({ network }: DatabaseState, wanted: string): Finding => {
  if (network === null) return finding("network", "ok", `none yet; it will be ${wanted}`)
  return network === wanted
    ? finding("network", "ok", network)
    : finding("network", "failed", `the database is of the network ${network}, the configuration says ${wanted}`)
}

/** Times in the database should not be in the future; a small difference between two machines is accepted. */
const toleranceMs = 2_000
/** A date before this code was written: a clock that shows an earlier one is wrong. */
const leastNowMs = Date.UTC(2026, 10, 20)

const clockFinding = (newestEntryMs: number | null, nowMs: number, difference?: string): Finding => {
  const now = momentText(nowMs)
  if (nowMs < leastNowMs) return finding("clock", "failed", `${now} is in the past: set the clock`)
  if (newestEntryMs !== null && newestEntryMs > nowMs + toleranceMs) {
    const ahead = momentText(newestEntryMs)
    return finding("clock", "failed", `${now} is before the newest entry of a journal, ${ahead}: set the clock`)
  }
  return difference === undefined ? finding("clock", "ok", now) : finding("clock", "warning", `${now}: ${difference}`)
}

/** Of PostgreSQL that grants this user fewer connections than a server wants; else there is nothing to say. */
const connectionFindings = (wanted = defaultConnections) =>
  Effect.map(grantedConnections, (granted = wanted) =>
    granted < wanted
      ? [
          finding(
            "connections",
            "warning",
            `PostgreSQL grants this user ${granted} in all, databaseConnections is ${wanted}: raise the limit (ALTER ROLE ... CONNECTION LIMIT, ALTER DATABASE, max_connections) or lower the setting, and leave 2 to each command`
          )
        ]
      : []
  )

const digest = Uint8Array.from({ length: 32 }, (_, at) => at + 1)

/** Of the key that signs, which is well: whether the next one could sign when its time has come. */
const comingFinding = (publicKey: string) =>
  Effect.gen(function* () {
    const coming = yield* comingWithoutSecret
    if (coming === undefined) return finding("signing key", "ok", publicKey)
    const cure = `import its secret, which is not here, or end it with "sibyl signing-key retire ${coming.publicKey}"`
    return coming.activeFromMs === null
      ? finding("signing key", "warning", `${coming.publicKey} is announced: ${cure}`)
      : finding("signing key", "failed", `${coming.publicKey} signs from ${momentText(coming.activeFromMs)} on: ${cure}`)
  })

const signerFinding = Effect.gen(function* () {
  const { publicKey: present } = keyAt(yield* listSigningKeys, yield* Clock.currentTimeMillis) ?? { publicKey: "" }
  const secret = yield* secretOfKey(present)
  const { publicKey, signature } = yield* Effect.provide(
    Effect.flatMap(Signer, (signer) => Effect.map(signer.sign(digest), (signature) => ({ publicKey: signer.publicKey, signature }))),
    layerLocalSigner(secret)
  )
  return recoverSigner(digest, signature) === publicKey
    ? yield* comingFinding(publicKey)
    : finding("signing key", "failed", `the signature does not verify with ${publicKey}`)
})

const noKey = finding("signing key", "ok", "none yet; it is made at the first start")
const olderKey = finding("signing key", "ok", "of an older version; it is checked once the schema is up to date")

/** Without a stored public key there is none yet; with one, its secret must be there. */
const keyFinding = ({ hasSigningKey, newestSchemaVersion, schemaVersion }: DatabaseState) => {
  if (schemaVersion > newestSchemaVersion)
    return Effect.succeed(finding("signing key", "skipped", "not with the schema of a newer version"))
  const unlisted = hasSigningKey ? olderKey : noKey
  return schemaVersion === newestSchemaVersion
    ? Effect.flatMap(listSigningKeys, (keys) => (keys.length === 0 ? Effect.succeed(unlisted) : signerFinding))
    : Effect.succeed(unlisted)
}

const integrityFinding = Effect.map(damagesOfDatabase, ([first, ...others]) => {
  if (first === undefined) return finding("integrity", "ok", "sound")
  const more = others.length === 0 ? "" : `, and ${others.length} or more like it`
  const damage = first.replaceAll(/\s+/g, " ")
  return finding("integrity", "failed", `the file is damaged (${damage}${more}): put a backup in its place`)
})

const examineOpened = ({ databaseConnections, service }: Configuration, where: string) =>
  Effect.gen(function* () {
    const integrity = yield* orFailed("integrity", integrityFinding)
    if (integrity.status === "failed") return [finding("database", "ok", where), integrity]
    const state = yield* inspectDatabase
    return [
      finding("database", "ok", where),
      ...(yield* connectionFindings(databaseConnections)),
      integrity,
      schemaFinding(state),
      networkFinding(state, service.network.name),
      clockFinding(state.newestEntryMs, yield* Clock.currentTimeMillis, yield* differenceOfClocks),
      yield* orFailed("signing key", keyFinding(state))
    ]
  })

const withoutDatabase = (database: Finding) => Effect.map(Clock.currentTimeMillis, (nowMs) => [database, clockFinding(null, nowMs)])

/** Every finding about the database, which is neither created nor changed. */
export const examineDatabase = (configuration: Configuration): Effect.Effect<ReadonlyArray<Finding>> => {
  const { database } = configuration
  const file = sqliteFileOf(database)
  const lost = file === undefined ? undefined : lostContent(file)
  const withDisk = Effect.map(([first, ...others]: ReadonlyArray<Finding>) => [
    ...(first === undefined ? [] : [first]),
    ...diskFindings(file),
    ...others
  ])
  if (lost !== undefined) return withoutDatabase(finding("database", "failed", lost))
  if (file !== undefined && !existsSync(file)) {
    const why = whyNotMade(file)
    const absent =
      why === undefined
        ? finding("database", "ok", `there is none at ${file} yet; it is made at the first start`)
        : finding("database", "failed", `there is none at ${file}, and none can be made: ${why}`)
    return withDisk(withoutDatabase(absent))
  }
  return examineOpened(configuration, file ?? "PostgreSQL answers").pipe(
    Effect.provide(Layer.merge(layerDatabaseAsItIs(database), Entropy.layer)),
    Effect.sandbox,
    Effect.either,
    Effect.flatMap(
      Either.match({
        onLeft: (cause) => withoutDatabase(finding("database", "failed", firstLine(cause))),
        onRight: (findings) => Effect.succeed(findings)
      })
    ),
    withDisk
  )
}
