/** Where this VM deliberately deviates from a golden case, and what it does instead (decision D25). */

/** One deviation: the reason, and the outcome here. */
export interface Deviation {
  readonly reason: string
  readonly instead: { readonly exitCode: number; readonly gasUsed: string; readonly stderr: ReadonlyArray<string> }
}

/** The deviations by the name of the case. The vector tests fail if one is missing or superfluous. */
export const deviations: Readonly<Record<string, Deviation>> = {
  "tally:host_http/length-minus-one": {
    reason: "A negative length would make the request cheaper; it is refused before any charge.",
    instead: { exitCode: 252, gasUsed: "6000450562500", stderr: ["Runtime error: Negative length provided"] }
  },
  "tally:gas_wrap/http-min-i32": {
    reason: "A negative length would let the price wrap around, and could give gas back; it is refused before any charge.",
    instead: { exitCode: 252, gasUsed: "6000337850000", stderr: ["Runtime error: Negative length provided"] }
  }
}
