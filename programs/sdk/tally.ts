/** The input of the tally phase: the reveals of the executors and the filter's decision on each. */
import { argument } from "./inputs"
import { JsonKind, JsonValue, parseJson } from "./json"
import { fail } from "./process"
import { setResult } from "./result"
import { Uint256 } from "./uint256"

/** The reveal of one executor. */
export class Reveal {
  constructor(
    /** The result of its execution phase. */
    readonly bytes: Uint8Array,
    readonly exitCode: i32,
    /** Whether the consensus filter kept it. */
    readonly inConsensus: bool
  ) {}
}

/** All reveals, in the host's order. Malformed arguments end the program. */
export function reveals(): Array<Reveal> {
  const outliers = listArgument(3, "consensus list").bytes()
  if (outliers === null) return fail<Array<Reveal>>("the consensus list is malformed")
  const all = new Array<Reveal>()
  const items = listArgument(2, "list of reveals").elements()
  if (items.length != outliers.length) return fail<Array<Reveal>>("the consensus list is malformed")
  for (let at = 0; at < items.length; at++) {
    const item = items[at]
    const bytes = item.get("reveal").bytes()
    const exitCode = item.get("exit_code")
    if (bytes === null || !exitCode.isInteger()) return fail<Array<Reveal>>("the reveals are malformed")
    all.push(new Reveal(bytes, <i32>exitCode.integer(), outliers[at] == 0))
  }
  return all
}

/** The reveals that count: kept by the filter, of executions that succeeded. */
export function agreedReveals(): Array<Reveal> {
  return reveals().filter((reveal) => reveal.inConsensus && reveal.exitCode == 0)
}

/** Sets the result to the only agreed reveal unchanged, or to the median of several; without any the program ends. */
export function setMedianResult(valueOf: (reveal: Reveal) => Uint256): void {
  const agreed = agreedReveals()
  if (agreed.length == 0) return fail<void>("no execution succeeded in consensus")
  setResult(medianReveal(agreed, valueOf).bytes)
}

/**
 * The reveal in the middle when all are ordered by a value, which must not be empty; of an even number the lower one of
 * the middle two, so that the result is always one that somebody revealed.
 */
export function medianReveal(all: Array<Reveal>, valueOf: (reveal: Reveal) => Uint256): Reveal {
  if (all.length == 1) return all[0]
  const sorted = new Array<Reveal>()
  const values = new Array<Uint256>()
  for (let at = 0; at < all.length; at++) {
    const value = valueOf(all[at])
    let place = at
    sorted.push(all[at])
    values.push(value)
    for (; place > 0 && value.isLessThan(values[place - 1]); place--) {
      sorted[place] = sorted[place - 1]
      values[place] = values[place - 1]
    }
    sorted[place] = all[at]
    values[place] = value
  }
  return sorted[(sorted.length - 1) >> 1]
}

function listArgument(at: u32, name: string): JsonValue {
  const value = parseJson(argument(at))
  return value.kind == JsonKind.Array ? value : fail<JsonValue>("the " + name + " is malformed")
}
