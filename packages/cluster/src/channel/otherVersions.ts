/** The versions of the contract that are heard here and not understood: each is told once, since nothing else says why no run gets there. */
import { contractVersion } from "../contract/subjects.ts"

/** Different versions that are told: more are no versions. */
const mostTold = 8

/** What one edge or executor has heard. */
export class OtherVersions {
  private readonly told = new Set<number>()

  /** The line about a version that is heard for the first time. `who` speaks it, `we` do not. */
  line(version: number, who: string, we: string): string | undefined {
    if (this.told.has(version) || this.told.size >= mostTold) return undefined
    this.told.add(version)
    const older = version < contractVersion ? who : we
    return `${who} speak version ${version} of the contract of the cluster, ${we} version ${contractVersion}: no run goes from one to the other; update ${older}`
  }
}
