/** Why a phase cannot start a program that it can read. */
import type { Phase } from "@sibyl/core"
import type { LinkFacts } from "../pass/link.ts"

/** The first reason; undefined if it can. */
export const linkFault = (link: LinkFacts, phase: Phase): string | undefined => {
  const fault = link.importFault ?? link.memoryFault
  if (fault !== undefined) return fault
  if (link.startSection) return "the module has a start function"
  if (link.entry === undefined) return "the module exports no function _start"
  // Execution tolerates the rest, as its reference does.
  if (phase === "exec") return undefined
  if (link.entry.length > 0) return "_start takes parameters"
  if (!link.memory) return "the module exports no memory named memory"
  return link.wasi ? undefined : "the module imports no WASI function"
}
