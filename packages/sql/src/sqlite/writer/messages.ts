/** What a service and the thread that writes its database tell each other, as plain data. */

/** A statement. */
export interface StatementOrder {
  readonly kind: "statement"
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/** A transaction by name. */
export interface ProcedureOrder {
  readonly kind: "procedure"
  readonly name: string
  readonly input: unknown
}

/** Work that shares a transaction with other work. */
export type Task = StatementOrder | ProcedureOrder

/** Work in a transaction that the client begins and ends. `transaction` is unique among those of one client. */
export type TransactionOrder =
  | { readonly kind: "begin"; readonly transaction: number }
  | { readonly kind: "within"; readonly transaction: number; readonly text: string; readonly values: ReadonlyArray<unknown> }
  | { readonly kind: "commit"; readonly transaction: number }
  | { readonly kind: "rollback"; readonly transaction: number }

/** Everything that is answered, once. */
export type Order = Task | TransactionOrder | { readonly kind: "close" }

/** An order by a number of the client's, or the wish that one that has not begun is dropped without an answer. */
export type Message = { readonly id: number; readonly order: Order } | { readonly id: number; readonly order: undefined }

/** An error of the driver, with its codes. */
export interface Fault {
  readonly message: string
  readonly code?: unknown
  readonly errcode?: unknown
}

/** How an order ended: its rows or the result of its procedure, or the error. */
export type Outcome = { readonly value: unknown } | { readonly fault: Fault }

/** Outcomes by the numbers of their orders. */
export type Answers = ReadonlyArray<readonly [id: number, outcome: Outcome]>

/** What a writer thread is started with. */
export interface WriterSettings {
  readonly filename: string
  /** How long other processes' locks are waited for, in ms. */
  readonly patienceMs: number
}

/** The code of an error whose thread or connection is gone: what it was to write is written completely or not at all. */
export const lostCode = "ERR_WRITER_LOST"

/** The error in a form that can be sent. */
export const faultOf = (cause: unknown): Fault => {
  if (!(cause instanceof Error)) return { message: String(cause) }
  const { code, errcode, message }: Error & { readonly code?: unknown; readonly errcode?: unknown } = cause
  return { message, ...(code === undefined ? {} : { code }), ...(errcode === undefined ? {} : { errcode }) }
}

/** The error that was sent. */
export const errorOf = ({ message, ...codes }: Fault): Error => Object.assign(new Error(message), codes)
