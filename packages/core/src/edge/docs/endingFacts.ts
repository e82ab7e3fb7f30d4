/** What exit codes mean, of a run and of the command `sibyl`: facts for the page of errors. */

/** One row of a table of exit codes. */
export interface ExitFact {
  readonly code: string
  readonly cause: string
  readonly cure: string
}

const byItself = "the program's own reason: read what it printed, with includeDebugInfo=true"

/** Exit codes of a run, `dataResult.exitCode`: those that the service gives, beside what a program chooses (decisions D23 to D25). */
export const runExits: ReadonlyArray<ExitFact> = [
  { code: "0", cause: "the run succeeded", cure: "nothing to do" },
  {
    code: "1",
    cause: "the program failed by itself, or its execution phase was ended: a trap, no gas left, the time limit, a module that cannot run",
    cure: "the message says which; stderr of the phase has more"
  },
  { code: "2", cause: "tally: a name in its environment has = or a zero byte", cure: "tell the operator: the service makes these names" },
  { code: "3", cause: "tally: the module imports nothing of WASI", cure: "build the program with the SDK, or for a WASI target" },
  { code: "4", cause: "tally: the module cannot be instantiated", cure: "the message names the import or the memory at fault" },
  { code: "5", cause: "tally: the module has no function _start", cure: "export one; the SDK does" },
  { code: "8", cause: "tally: what it printed is not UTF-8", cure: "print text only" },
  { code: "10", cause: "tally: the module exports no memory", cure: "export it under the name memory" },
  { code: "13", cause: "tally: the result is longer than 96,000 bytes", cure: "give a shorter one, such as a hash" },
  { code: "14", cause: "tally: starting it costs more than its gas limit", cure: "send shorter inputs, or have the gas limit raised" },
  {
    code: "250",
    cause: "tally: it ran out of gas",
    cure: "make it cheaper (sibyl profile shows where gas goes), or have the gas limit raised"
  },
  {
    code: "251",
    cause: "tally: the module is not valid, or too costly to compile",
    cure: "the message says why; sibyl build and sibyl program deploy say it before"
  },
  { code: "252", cause: "tally: it trapped, took too long, or its stack ran out", cure: "the message says which" },
  {
    code: "253",
    cause: "several executors: the consensus filter is not valid",
    cure: "tell the operator: the service refuses such a filter at its start"
  },
  {
    code: "254",
    cause: "several executors: they do not agree, or most of them failed; no tally ran",
    cure: "let the tally choose between what executors reveal, with a filter that allows for differences"
  },
  {
    code: "255",
    cause: "the result is longer than the limit, or the program chose a code that is not a byte",
    cure: "the message says which"
  },
  { code: "any other", cause: "the program chose it", cure: byItself }
]

/** Exit codes of the command `sibyl`. */
export const commandExits: ReadonlyArray<ExitFact> = [
  { code: "0", cause: "done, or a server stopped by Ctrl-C or SIGTERM", cure: "nothing to do" },
  {
    code: "1",
    cause: "understood and refused, or failed (a file that is not what it should be, too): the line on stderr says why",
    cure: "sibyl doctor says whether a server would work here"
  },
  {
    code: "2",
    cause: "the command line or the configuration breaks a rule, which stderr names",
    cure: "sibyl COMMAND --help, and the table of settings"
  },
  {
    code: "130",
    cause: "interrupted by Ctrl-C or SIGTERM, before it had done what it was asked for; servers, and feeds that are followed, end with 0",
    cure: "give the command again"
  }
]
