/** Tasks of many callers in one transaction: each has its own outcome, and none has it before the commit. */
import { runPlanSync } from "../../database/plan.ts"
import type { Procedure } from "../../database/procedure.ts"
import { sqliteCodeOf, sqliteCodes } from "../../database/resultCode.ts"
import type { SqliteConnection } from "../connection/sqliteConnection.ts"
import { errorOf, faultOf, type Fault, type Outcome, type Task } from "./messages.ts"

/** The procedures that tasks name. */
export type Procedures = ReadonlyMap<string, Procedure<never, unknown>>

/**
 * A group takes no further task after this time, so that no caller waits long for the statements of others, and whoever orders can make the
 * next tasks while these are committed. Where a commit takes longer, it is as long as that, to share it with more.
 */
const groupMs = { least: 4, most: 20 }

const unreachable: ReadonlySet<number> = new Set(Object.values(sqliteCodes))
const isUnreachable = (fault: Fault): boolean => unreachable.has(sqliteCodeOf(errorOf(fault)) ?? 0)

/** Runs one task after the other; stops when an error has ended the whole transaction. */
class OpenGroup<Entry extends { readonly order: Task }> {
  readonly #connection: SqliteConnection
  readonly #procedures: Procedures
  readonly outcomes: Array<readonly [Entry, Outcome]> = []
  lost: Fault | undefined

  constructor(connection: SqliteConnection, procedures: Procedures) {
    this.#connection = connection
    this.#procedures = procedures
  }

  run(entry: Entry): void {
    try {
      this.outcomes.push([entry, { value: this.#perform(entry.order) }])
    } catch (cause) {
      const fault = faultOf(cause)
      this.outcomes.push([entry, { fault }])
      // A full disk, for example, has undone the tasks before too.
      if (!this.#connection.database.isTransaction) this.lost = fault
    }
  }

  #perform(task: Task): unknown {
    return task.kind === "statement" ? this.#connection.rows(task.text, task.values) : this.#performAll(task.name, task.input)
  }

  /** A single statement undoes itself when it fails, several need a savepoint. */
  #performAll(name: string, input: unknown): unknown {
    const procedure = this.#procedures.get(name)
    if (procedure === undefined) throw new Error(`there is no procedure ${name}`)
    const connection = this.#connection
    connection.rows("SAVEPOINT task", [])
    try {
      const value = runPlanSync(procedure.plan("sqlite", input as never), ({ text, values }) => connection.rows(text, values))
      connection.rows("RELEASE task", [])
      return value
    } catch (cause) {
      if (connection.database.isTransaction) {
        connection.rows("ROLLBACK TO task", [])
        connection.rows("RELEASE task", [])
      }
      throw cause
    }
  }

  commit(): void {
    if (this.lost !== undefined) return this.#connection.rollback()
    try {
      this.#connection.commit()
    } catch (cause) {
      this.lost = faultOf(cause)
    }
  }
}

/**
 * Runs the tasks that `next` gives, in a transaction that has begun. If the whole transaction fails, and not because the disk does, `alone`
 * runs each of its tasks in a transaction of its own, so that only the faulty one fails.
 */
export const runGroup = <Entry extends { readonly order: Task }>(
  connection: SqliteConnection,
  procedures: Procedures,
  next: () => Entry | undefined,
  alone: (entry: Entry) => Outcome
): ReadonlyArray<readonly [Entry, Outcome]> => {
  const group = new OpenGroup<Entry>(connection, procedures)
  const untilMs = performance.now() + Math.min(Math.max(groupMs.least, connection.commitMs), groupMs.most)
  for (let entry = next(); entry !== undefined; entry = next()) {
    group.run(entry)
    if (group.lost !== undefined || performance.now() > untilMs) break
  }
  group.commit()
  const { lost, outcomes } = group
  if (lost === undefined) return outcomes
  const isOnly = outcomes.length === 1
  return outcomes.map(([entry]) => [entry, isOnly || isUnreachable(lost) ? { fault: lost } : alone(entry)])
}
