/** Which functions call which by name, noted while bodies are read. */

/** Pairs of a caller and a function that it calls. Callers come one after another. */
export class CallPairs {
  /** For each function: the caller noted last, plus one. */
  readonly #lastCaller: Uint32Array
  /** Callee and caller of each pair. */
  #pairs = new Uint32Array(512)
  #length = 0

  constructor(functions: number) {
    this.#lastCaller = new Uint32Array(functions)
  }

  /** Notes a call; each pair once. */
  add(caller: number, callee: number): void {
    if (this.#lastCaller[callee] === caller + 1) return
    this.#lastCaller[callee] = caller + 1
    if (this.#length === this.#pairs.length) {
      const larger = new Uint32Array(this.#length * 2)
      larger.set(this.#pairs)
      this.#pairs = larger
    }
    this.#pairs[this.#length] = callee
    this.#pairs[this.#length + 1] = caller
    this.#length += 2
  }

  /** All callers, grouped by what they call: those of function f are `callers[first[f]]` to `callers[first[f + 1] - 1]`. */
  callers(): { readonly first: Uint32Array; readonly callers: Uint32Array } {
    const functions = this.#lastCaller.length
    const first = new Uint32Array(functions + 1)
    for (let at = 0; at < this.#length; at += 2) first[(this.#pairs[at] ?? 0) + 1] = (first[(this.#pairs[at] ?? 0) + 1] ?? 0) + 1
    for (let index = 0; index < functions; index += 1) first[index + 1] = (first[index + 1] ?? 0) + (first[index] ?? 0)
    const next = first.slice()
    const callers = new Uint32Array(this.#length / 2)
    for (let at = 0; at < this.#length; at += 2) {
      const callee = this.#pairs[at] ?? 0
      const place = next[callee] ?? 0
      callers[place] = this.#pairs[at + 1] ?? 0
      next[callee] = place + 1
    }
    return { first, callers }
  }
}
