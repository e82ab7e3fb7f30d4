/** Reads a tape back: answers recorded calls, notices calls that differ, and names the first that has no answer. */
import { type AnsweredCall, type AnswerTo, bytesOf, type HostCall, isTerminal, type Tape } from "../../tape/tape.ts"
import type { StorageOperation } from "../../tape/storageAction.ts"
import { Unwind } from "./unwind.ts"

/** A replayed program did something else than the recorded one: a defect of ours, never of the program. */
export class Divergence extends Error {}

/** A tape being read. */
export class Replay {
  private readonly tape: Tape
  private next = 0
  /** The bytes of the calls that were answered so far, and of their answers. */
  answeredBytes = 0

  constructor(tape: Tape) {
    this.tape = tape
  }

  /** The calls that were answered so far. */
  get answeredCalls(): number {
    return this.next
  }

  /** The time the program sees: that of the last answer it got, in ms since 1970. */
  get timeMs(): number {
    const last = this.tape.entries[this.next - 1]
    return last === undefined || isTerminal(last) ? this.tape.startTimeMs : last.atMs
  }

  /** Entries that no call has asked for. */
  get leftOver(): number {
    return this.tape.entries.length - this.next
  }

  /**
   * The recorded answer to a call of these bytes, undefined when the next entry is another call's, or none: then the
   * action is to be read and asked for. So each action is read once, however often its program is replayed.
   */
  recorded<Kind extends Exclude<HostCall["kind"], "storage">>(kind: Kind, action: Uint8Array): AnswerTo[Kind] | undefined {
    const entry = this.tape.entries[this.next]
    return entry !== undefined && entry.kind === kind ? (this.take(entry, action) as AnswerTo[Kind]) : undefined
  }

  /** The same for a call of the program's storage. */
  storage(operation: StorageOperation, action: Uint8Array): AnswerTo["storage"] | undefined {
    const entry = this.tape.entries[this.next]
    return entry?.kind === "storage" && entry.operation === operation ? (this.take(entry, action) as AnswerTo["storage"]) : undefined
  }

  /** Ends the pass with a call that has no answer yet. A tape that goes on otherwise has diverged. */
  ask(call: HostCall): never {
    const entry = this.tape.entries[this.next]
    if (entry === undefined) throw new Unwind({ kind: "needs", call })
    throw new Divergence(`entry ${this.next} of the tape is ${entry.kind}, the program now asks for another ${call.kind}`)
  }

  private take(entry: AnsweredCall, action: Uint8Array): AnsweredCall["answer"] | undefined {
    if (Buffer.compare(entry.action, action) !== 0) return undefined
    this.next += 1
    this.answeredBytes += bytesOf(entry)
    return entry.answer
  }
}
