/** The entry of the thread that writes to a SQLite file. */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads"
import { keyUsesProcedure } from "./accounts/keyUsesProcedure.ts"
import { ledgerProcedure } from "./ledger/ledgerProcedure.ts"
import { claimProcedure } from "./runs/claimProcedure.ts"
import { databaseSyncClass } from "./sqlite/connection/databaseSync.ts"
import type { Procedures } from "./sqlite/writer/groupTransaction.ts"
import type { Message, WriterSettings } from "./sqlite/writer/messages.ts"
import { ticketProcedure } from "./tickets/ticketProcedure.ts"
import { Writer } from "./sqlite/writer/writer.ts"

const { port: firstPort, settings }: { readonly port: MessagePort; readonly settings: WriterSettings } = workerData

const procedures: Procedures = new Map(
  [ledgerProcedure, claimProcedure, keyUsesProcedure, ticketProcedure].map((procedure) => [procedure.name, procedure])
)

const writer = new Writer(settings, await databaseSyncClass(), procedures)

/** Serves the client at the other end of a port. */
const serve = (port: MessagePort): void => {
  /** What the port's event has brought, before what is still at the port. */
  const brought: Array<Message> = []
  writer.add({
    arrived: () => {
      const messages = brought.splice(0)
      for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) messages.push(...more.message)
      return messages
    },
    answer: (answers) => port.postMessage(answers),
    closed: () => port.close()
  })
  port.on("message", (messages: ReadonlyArray<Message>) => {
    brought.push(...messages)
    writer.work()
  })
  // Nobody knows whose orders they were: the thread ends, and every caller that waits is told.
  port.on("messageerror", () => process.exit(1))
}

serve(firstPort)
// Other clients come with ports of their own; the thread lives as long as one of them has not closed.
parentPort?.on("message", serve)
parentPort?.unref()
