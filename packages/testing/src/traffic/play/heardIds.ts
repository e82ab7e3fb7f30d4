/** Ids that clients were told, by which later commands can refer to them. */

const add = (ids: Array<string>, found: Iterable<RegExpExecArray>): void => {
  for (const [, id] of found) if (id !== undefined && !ids.includes(id)) ids.push(id)
}

/** A number above their count begins again; without any, a text of the right form that names nothing. */
const nthOf = (ids: ReadonlyArray<string>, nth: number, none: string): string => ids[nth % Math.max(1, ids.length)] ?? none

/** What was told so far, in the order in which it was. */
export class HeardIds {
  readonly #drIds: Array<string> = []
  readonly #pages: Array<string> = []
  readonly #feeds: Array<string> = []
  readonly #tickets: Array<string> = []
  readonly #programs: Readonly<Record<string, string>>

  constructor(programs: Readonly<Record<string, string>>) {
    this.#programs = programs
  }

  /** Reads an answer or a message. */
  hear(text: string): void {
    add(this.#drIds, text.matchAll(/"drId":"([0-9a-f]{64})"/g))
    add(this.#pages, text.matchAll(/"nextPageId":"([^"]+)"/g))
    add(this.#tickets, text.matchAll(/"ticket":"([^"]+)"/g))
    add(this.#feeds, text.matchAll(/"result":\{"feedId":"([^"]+)"\}/g))
  }

  /** The text with its places filled in. */
  fill(template: string): string {
    return template.replaceAll(/«([^ »]+) ([^»]+)»/g, (_whole, kind: string, name: string) => {
      const program = this.#programs[name] ?? "0".repeat(64)
      const filled: Readonly<Record<string, () => string>> = {
        program: () => program,
        PROGRAM: () => program.toUpperCase(),
        "0xprogram": () => `0x${program}`,
        drId: () => nthOf(this.#drIds, Number(name), "ab".repeat(32)),
        page: () => nthOf(this.#pages, Number(name), "no page"),
        feed: () => nthOf(this.#feeds, Number(name), "00000000-0000-4000-8000-000000000000"),
        ticket: () => nthOf(this.#tickets.toReversed(), Number(name), "no-ticket")
      }
      return filled[kind]?.() ?? name
    })
  }
}
