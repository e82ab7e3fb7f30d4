/** What a target lacks, thrown where it is needed: the audit is skipped with this as the reason. */

/** Thrown when an audit asks for something that its target does not have. */
export class Lacking extends Error {
  override readonly name = "Lacking"
}
