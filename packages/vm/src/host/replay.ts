/** Reads a tape back: answers recorded calls, notices calls that differ, and names the first that has no answer. */
import { isTerminal, type AnsweredCall, type AnswerTo, type HostCall, type Tape } from "../pass/tape.ts"
import { Unwind } from "./unwind.ts"

/** A replayed program did something else than the recorded one: a defect of ours, never of the program. */
export class Divergence extends Error {}

const sameBytes = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, at) => byte === right[at])

const sameCall = (entry: AnsweredCall, call: HostCall): boolean =>
  entry.kind === call.kind
  && sameBytes(entry.action, call.action)
  && (entry.kind !== "storage" || (call.kind === "storage" && entry.operation === call.request.operation))

/** A tape being read. */
export class Replay {
  private readonly tape: Tape
  private next = 0

  constructor(tape: Tape) {
    this.tape = tape
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

  /** The recorded answer to this call. Without one the pass ends here and names the call. */
  answer<Kind extends HostCall["kind"]>(call: HostCall & { readonly kind: Kind }): AnswerTo[Kind] {
    const entry = this.tape.entries[this.next]
    if (entry === undefined) throw new Unwind({ kind: "needs", call })
    if (isTerminal(entry) || !sameCall(entry, call)) {
      throw new Divergence(
        `entry ${this.next} of the tape is ${entry.kind}, the program now asks for another ${call.kind}`
      )
    }
    this.next += 1
    return entry.answer as AnswerTo[Kind]
  }
}
