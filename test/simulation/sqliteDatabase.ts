/** The stores of `sibyl serve` on a SQLite file, for simulations: recovered at each start of a process, rolled back at each crash. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import {
  Accounts,
  DurableFeeds,
  type EntryKind,
  Entropy,
  type ExecutionReport,
  Freshness,
  Keys,
  Network,
  ProgramStore,
  Provisioning,
  ResultStore
} from "@sibyl/core"
import { layerSqlite, layerSqliteAsItIs, layerSqlStores, type SqlStores } from "@sibyl/sql"
import { type Gate, InvariantBroken, type MakeDatabase, type ProjectBooks, type SimulatedDatabase } from "@sibyl/testing/simulation"
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import { layerGatedSqlite, type SqliteFile } from "./gatedSqlite.ts"

interface SqliteModule {
  readonly DatabaseSync: new (filename: string) => SqliteFile
}

/** `node:sqlite` where it is there, else the package. */
const loadSqlite = async (): Promise<SqliteModule> =>
  (process.getBuiltinModule("node:sqlite") as SqliteModule | undefined) ?? (await import("@photostructure/sqlite"))

/** Nothing is flushed: a crash of a process loses nothing that was written, and that of the machine is not simulated. */
const withoutFlush = "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON"

/** What was not committed is lost, as when the process ends. */
const closeFile = (file: SqliteFile): void => {
  try {
    file.exec("ROLLBACK")
  } catch {
    // No transaction was open.
  }
  file.close()
}

const removeFile = (filename: string): void => {
  for (const ending of ["", "-wal", "-shm"]) rmSync(filename + ending, { force: true })
}

/**
 * The same database as another file, as it lies on the disk. A killed process has no locks any more; but here its connection may keep them:
 * the SQLite of old versions of Node ends a connection only when its statements have been collected.
 */
const movedFile = (filename: string): string => {
  const moved = `${filename}+`
  for (const ending of ["", "-wal"]) if (existsSync(filename + ending)) copyFileSync(filename + ending, moved + ending)
  removeFile(filename)
  return moved
}

const migratedFile = async (folder: string): Promise<string> => {
  const filename = join(folder, "migrated.sqlite")
  await Effect.runPromise(Effect.scoped(Layer.build(layerSqlite({ filename }))))
  return filename
}

/** The stores without a gate. */
interface Operator {
  readonly context: Context.Context<SqlStores | SqlClient>
  readonly runtime: ManagedRuntime.ManagedRuntime<SqlStores | SqlClient, never>
}

interface JournalRow {
  readonly entry: number
  readonly kind: EntryKind
  readonly credits: string
  readonly hold_id: string | null
  readonly at_ms: number
}

/** `known` are the reports that were read before; they are append-only. */
const booksOf = (
  sql: SqlClient,
  results: ResultStore["Type"],
  projectId: string,
  known: ReadonlyArray<ExecutionReport>
): Effect.Effect<ProjectBooks, unknown> =>
  Effect.gen(function* () {
    const accounts = yield* sql<
      Record<"granted" | "used" | "held", string>
    >`SELECT granted, used, held FROM accounts WHERE project_id = ${projectId}`
    const journal = yield* sql<JournalRow>`
      SELECT entry, kind, credits, hold_id, at_ms FROM journal WHERE project_id = ${projectId} ORDER BY entry`
    const holds = yield* sql<{
      readonly hold_id: string
      readonly amount: string
      readonly lease_end_ms: number
      readonly escrow: string | null
    }>`
      SELECT hold_id, amount, lease_end_ms, escrow FROM holds WHERE project_id = ${projectId} AND state = 'held'`
    const answers = yield* sql<{ readonly status: number; readonly body: string }>`
      SELECT status, body FROM idempotency_keys WHERE project_id = ${projectId} AND status IS NOT NULL`
    const [counted] = yield* sql<{ readonly count: number }>`SELECT COUNT(*) AS count FROM reports WHERE project_id = ${projectId}`
    const fresh = (counted?.count ?? 0) - known.length
    const newest = fresh > 0 ? yield* results.newest(projectId, fresh) : []
    const account = accounts[0] ?? { granted: "0", used: "0", held: "0" }
    return {
      projectId,
      granted: BigInt(account.granted),
      used: BigInt(account.used),
      held: BigInt(account.held),
      journal: journal.map(({ at_ms, credits, entry, hold_id, kind }) => ({
        entry,
        kind,
        credits: BigInt(credits),
        holdId: hold_id,
        atMs: at_ms
      })),
      openHolds: holds.map(({ amount, escrow, hold_id, lease_end_ms }) => ({
        holdId: hold_id,
        amount: BigInt(amount),
        leaseEndMs: lease_end_ms,
        isEscrow: escrow !== null
      })),
      reports: [...known, ...newest.toReversed()],
      keptAnswers: answers
    }
  })

/** A server that has its file alone returns at its start what a crash has left held. */
const nothingHeld = async ({ context, runtime }: Operator): Promise<void> => {
  const held = await runtime.runPromise(
    Context.get(context, SqlClient)<{
      readonly project_id: string
      readonly held: string
    }>`SELECT project_id, held FROM accounts WHERE held <> '0'`
  )
  const told = held.map((row) => `${row.held} of ${row.project_id}`).join(", ")
  if (told !== "") throw new InvariantBroken("a server alone on its file returns orphaned holds", told)
}

/** Makes files for simulations in a folder that ends with them. */
export const openSqliteFiles = async (): Promise<{ readonly make: MakeDatabase; readonly remove: () => void }> => {
  const folder = mkdtempSync(join(tmpdir(), "sibyl-simulation-"))
  const template = await migratedFile(folder)
  const { DatabaseSync } = await loadSqlite()
  let made = 0
  const make: MakeDatabase = async ({ clock, entropy, faults, network }) => {
    made += 1
    let filename = join(folder, `${made}.sqlite`)
    copyFileSync(template, filename)
    const layerNetwork = Layer.merge(Layer.succeed(Entropy, entropy), Network.layer({ name: network, chainId: network }))
    const onClock = Layer.merge(Layer.setClock(clock), Layer.setScheduler(clock.scheduler))
    const files = new Map<Gate, SqliteFile>()
    const openFile = (): SqliteFile => {
      const file = new DatabaseSync(filename)
      file.exec(withoutFlush)
      return file
    }
    const openOperator = async (): Promise<Operator> => {
      const layer = Layer.provideMerge(layerSqlStores, layerSqliteAsItIs({ filename }))
      const runtime = ManagedRuntime.make(layer.pipe(Layer.provide(layerNetwork), Layer.provideMerge(onClock)))
      const { context } = await runtime.runtime()
      await runtime.runPromise(Context.get(context, SqlClient)`PRAGMA synchronous = OFF`)
      return { context, runtime }
    }
    let operator = await openOperator()
    const reports = new Map<string, ReadonlyArray<ExecutionReport>>()
    const database: SimulatedDatabase = {
      name: "SQLite",
      open: async (gate, time) => {
        // As at every start of a server: what a crash left behind is returned, if nobody else has the file open.
        await operator.runtime.dispose()
        if (files.size === 0) filename = movedFile(filename)
        await Effect.runPromise(Effect.scoped(Layer.build(Layer.provide(layerSqlite({ filename }), onClock))))
        operator = await openOperator()
        if (files.size === 0) await nothingHeld(operator)
        const file = openFile()
        files.set(gate, file)
        const layerClient = layerGatedSqlite({ file, gate, time, faults })
        const unknown = { version: () => undefined, settings: () => undefined }
        return Layer.merge(Layer.provide(layerSqlStores, layerClient), Layer.succeed(Freshness, unknown))
      },
      killed: (gate) => {
        const file = files.get(gate)
        files.delete(gate)
        if (file !== undefined) closeFile(file)
      },
      get operator() {
        const { context } = operator
        return {
          accounts: Context.get(context, Accounts),
          feeds: Context.get(context, DurableFeeds),
          keys: Context.get(context, Keys),
          programs: Context.get(context, ProgramStore),
          provisioning: Context.get(context, Provisioning)
        }
      },
      books: async (projectId) => {
        const { context, runtime } = operator
        const read = booksOf(Context.get(context, SqlClient), Context.get(context, ResultStore), projectId, reports.get(projectId) ?? [])
        const books = await runtime.runPromise(read)
        reports.set(projectId, books.reports)
        return books
      },
      expireHolds: (projectId) => Effect.suspend(() => Effect.asVoid(Effect.orDie(database.operator.provisioning.grant(projectId, 0n)))),
      close: async () => {
        for (const file of files.values()) closeFile(file)
        await operator.runtime.dispose()
        removeFile(filename)
      }
    }
    return database
  }
  return { make, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
