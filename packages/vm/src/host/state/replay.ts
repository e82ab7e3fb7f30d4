/** Replays a tape: answers recorded calls, detects calls that differ, and reports the first without an answer. Answers that came before their calls may follow the tape. */
import { type AnsweredCall, type AnswerTo, bytesOf, type HostCall, isTerminal, type Tape, type TapeEntry } from "../../tape/tape.ts"
import type { StorageOperation } from "../../tape/storageAction.ts"
import { Unwind } from "./unwind.ts"

/** A replayed program behaved differently from the recorded one: an internal defect, never the program's. */
export class Divergence extends Error {}

/** A tape being read. */
export class Replay {
  private readonly tape: Tape
  private readonly ahead: ReadonlyArray<AnsweredCall>
  private next = 0
  /** The bytes of the calls that were answered so far, and of their answers. */
  answeredBytes = 0

  /** `ahead` are answers to calls that the program may make after those of the tape, in this order, or not at all. */
  constructor(tape: Tape, ahead: ReadonlyArray<AnsweredCall> = []) {
    this.tape = tape
    this.ahead = ahead
  }

  /** The number of calls answered so far. */
  get answeredCalls(): number {
    return this.next
  }

  /** The program's current time: that of the last answer it got, in ms since the Unix epoch. */
  get timeMs(): number {
    const last = this.entryAt(this.next - 1)
    return last === undefined || isTerminal(last) ? this.tape.startTimeMs : last.atMs
  }

  /** The number of entries of the tape that no call has used. */
  get leftOver(): number {
    return Math.max(0, this.tape.entries.length - this.next)
  }

  /** The number of answers ahead that calls have used. */
  get usedAhead(): number {
    return Math.max(0, this.next - this.tape.entries.length)
  }

  /**
   * The recorded answer to a call with these bytes; undefined if the next entry is of another call, or there is none: then the action has
   * to be read and requested. So each action is parsed once, however often its program is replayed.
   */
  recorded<Kind extends Exclude<HostCall["kind"], "storage">>(kind: Kind, action: Uint8Array): AnswerTo[Kind] | undefined {
    const entry = this.entryAt(this.next)
    return entry !== undefined && entry.kind === kind ? (this.take(entry, action) as AnswerTo[Kind]) : undefined
  }

  /** The same for a call of the program's storage. */
  storage(operation: StorageOperation, action: Uint8Array): AnswerTo["storage"] | undefined {
    const entry = this.entryAt(this.next)
    return entry?.kind === "storage" && entry.operation === operation ? (this.take(entry, action) as AnswerTo["storage"]) : undefined
  }

  /** Ends the pass with a call that has no answer yet. If the tape continues with another call, it has diverged. */
  ask(call: HostCall): never {
    const entry = this.tape.entries[this.next]
    if (entry === undefined) throw new Unwind({ kind: "needs", call })
    throw new Divergence(`entry ${this.next} of the tape is ${entry.kind}, the program now asks for another ${call.kind}`)
  }

  private entryAt(at: number): TapeEntry | undefined {
    const { entries } = this.tape
    return at < entries.length ? entries[at] : this.ahead[at - entries.length]
  }

  private take(entry: AnsweredCall, action: Uint8Array): AnsweredCall["answer"] | undefined {
    if (Buffer.compare(entry.action, action) !== 0) return undefined
    this.next += 1
    this.answeredBytes += bytesOf(entry)
    return entry.answer
  }
}
