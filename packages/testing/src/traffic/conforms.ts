/** `conforms(target)`: the property that a service answers any traffic as the specification allows, for fast-check. */
import { programIdOf } from "@sibyl/core"
import fc from "fast-check"
import { auditPrograms } from "../audits/programs/auditPrograms.ts"
import { auditHistory } from "./auditor/auditHistory.ts"
import { evidenceOf } from "./auditor/evidence.ts"
import { drIdsOf } from "./auditor/expectedDrId.ts"
import type { TrafficViolation } from "./auditor/violation.ts"
import type { Abilities, Command } from "./commands/command.ts"
import { askingProgramName, sequence } from "./commands/sequence.ts"
import type { History } from "./history/history.ts"
import { failureText } from "./failureText.ts"
import { carryOut } from "./play/carryOut.ts"
import { Session } from "./play/session.ts"
import { askForTheRest, settle } from "./play/settle.ts"
import type { TrafficTarget } from "./play/trafficTarget.ts"

/** How much traffic a sequence is. */
export interface TrafficOptions {
  /** The most commands of a sequence; default 20. */
  readonly maxCommands?: number | undefined
  /** Told of each sequence that was played, with what was found. */
  readonly onSequence?: ((played: PlayedSequence) => void) | undefined
}

/** A sequence and what came of it. */
export interface PlayedSequence {
  readonly commands: ReadonlyArray<Command>
  readonly history: History
  readonly violations: ReadonlyArray<TrafficViolation>
}

/** What a target can do. */
export const abilitiesOf = ({ clock, crash, hasTickets, operator, otherTenantKey, upstream }: TrafficTarget): Abilities => ({
  tenants: operator === undefined && otherTenantKey === undefined ? 1 : 2,
  revoke: operator?.revokeKey !== undefined,
  issue: operator?.issueKey !== undefined,
  grant: operator?.grant !== undefined,
  crash: crash !== undefined,
  upstream: upstream !== undefined,
  clock: clock !== undefined,
  tickets: hasTickets === true
})

const programsOf = ({ programs, upstream }: TrafficTarget): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(auditPrograms).map(([name, program]) => [name, programIdOf(program)])),
  ...programs,
  ...(upstream === undefined ? {} : { [askingProgramName]: upstream.programId })
})

const play = async (target: TrafficTarget, commands: ReadonlyArray<Command>): Promise<History> => {
  const { feedOverlap = 256, toleranceMs } = target
  const programs = programsOf(target)
  const session = new Session(target, programs)
  const facts = { programs, toleranceMs, feedOverlap }
  await session.begin()
  for (const [step, command] of commands.entries()) await carryOut(session, step, command)
  await settle(session)
  const evidence = evidenceOf(session.draft.read(facts))
  await askForTheRest(session, (tenant) => drIdsOf(evidence, tenant))
  return session.draft.read(facts)
}

/** Sends one sequence to a target and audits what came. */
export const playSequence = async (target: TrafficTarget, commands: ReadonlyArray<Command>): Promise<PlayedSequence> => {
  await target.begin?.()
  try {
    const history = await play(target, commands)
    return { commands, history, violations: auditHistory(history) }
  } finally {
    await target.end?.()
  }
}

/**
 * The property: `await fc.assert(conforms(target), { numRuns: 50 })` in any test. A failure is shrunk and shows the sequence, what was sent,
 * what came, and the rules that it breaks; `seed` and `path` repeat it.
 */
export const conforms = (
  target: TrafficTarget,
  { maxCommands = 20, onSequence }: TrafficOptions = {}
): fc.IAsyncPropertyWithHooks<[ReadonlyArray<Command>]> =>
  fc.asyncProperty(sequence(abilitiesOf(target), maxCommands), async (commands) => {
    const played = await playSequence(target, commands)
    onSequence?.(played)
    if (played.violations.length > 0) throw new Error(failureText(played))
  })
