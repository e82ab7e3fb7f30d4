/** The programs that a project may run: its allow-list, checked before anything else, also for stored results. */
import { Effect } from "effect"
import { OutsideTicket, ProgramNotAllowed } from "../../contract/errors.ts"
import type { LastResultKey } from "../../domain/protocol/dataRequest.ts"
import type { Project } from "../../domain/accounts/project.ts"
import type { TicketGrant } from "../../domain/tickets/ticket.ts"

type Programs = Pick<LastResultKey, "execProgramId" | "tallyProgramId">

const outsideOf = (programs: ReadonlyArray<string> | null | undefined, { execProgramId, tallyProgramId }: Programs): string | undefined =>
  programs === null || programs === undefined
    ? undefined
    : [execProgramId, tallyProgramId].find((programId) => !programs.includes(programId))

type Owner = Project & { readonly ticket?: TicketGrant }

/** Why the ticket that asks, if there is one, does not allow one of the two programs. */
export const outsideTicketOf = ({ ticket }: Pick<Owner, "ticket">, key: Programs): OutsideTicket | undefined => {
  const outside = outsideOf(ticket?.programs, key)
  if (outside === undefined) return undefined
  return new OutsideTicket({ message: `the ticket does not allow the program ${outside}`, details: { programId: outside } })
}

/**
 * Why one of the two programs may not be run: it is not on the project's allow-list, or not among those of the ticket that asks; without a
 * list every program is allowed.
 */
export const refusalOf = (owner: Owner, key: Programs): ProgramNotAllowed | OutsideTicket | undefined => {
  const programId = outsideOf(owner.allowedPrograms, key)
  if (programId !== undefined) {
    const message = `the program ${programId} is not on the project's allow-list`
    return new ProgramNotAllowed({ message, details: { programId } })
  }
  return outsideTicketOf(owner, key)
}

/** Fails with {@link refusalOf}. */
export const checkAllowed = (owner: Owner, key: Programs): Effect.Effect<void, ProgramNotAllowed | OutsideTicket> =>
  refusalOf(owner, key) ?? Effect.void
