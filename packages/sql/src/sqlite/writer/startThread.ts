/** Starts a thread that writes, with the port of its first client. */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads"
import type { Answers, WriterSettings } from "./messages.ts"
import { writerFile } from "./writerFile.ts"
import type { WriterListener } from "./writerLink.ts"

/** A running thread. */
export interface StartedThread {
  readonly worker: Worker
  /** The first client's. */
  readonly port: MessagePort
  readonly ended: Promise<void>
}

/** Reads what the thread answers at a port. */
export const listenAt = (port: MessagePort, worker: Worker, answered: WriterListener["answered"]): void => {
  port.on("message", (answers: Answers) => answered(answers))
  // Whose answers they were is not known: the end of the thread answers everybody.
  port.on("messageerror", () => void worker.terminate())
}

/** Reads what a thread that has ended had answered and no event has brought yet: it is written, and must not be called lost. */
export const readRest = (port: MessagePort, answered: WriterListener["answered"]): void => {
  for (let rest = receiveMessageOnPort(port); rest !== undefined; rest = receiveMessageOnPort(port)) answered(rest.message)
}

/** Starts a thread, by default of this package's code. */
export const startThread = ({ filename, patienceMs }: WriterSettings, listener: WriterListener, file = writerFile()): StartedThread => {
  const { port1: port, port2 } = new MessageChannel()
  const settings: WriterSettings = { filename, patienceMs }
  const worker = new Worker(file, { workerData: { settings, port: port2 }, transferList: [port2], name: "sibyl writer" })
  let why = ""
  const ended = new Promise<void>((resolve) => {
    worker.once("exit", (code) => {
      readRest(port, listener.answered)
      port.close()
      listener.lost(why === "" ? `exit code ${code}` : why)
      resolve()
    })
  })
  worker.on("error", (error) => {
    why = error.message
  })
  listenAt(port, worker, listener.answered)
  return { worker, port, ended }
}
