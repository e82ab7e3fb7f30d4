/** What a profile's phase is called: numbered where several executors ran it. */
import type { PhaseProfile } from "@sibyl/devkit"

const words = { exec: "execution", tally: "tally" } as const

/** `execution`, `tally`, or `execution 2` for the second of several. */
export const phaseName = (profile: PhaseProfile, all: ReadonlyArray<PhaseProfile>): string => {
  const same = all.filter(({ phase }) => phase === profile.phase)
  const word = words[profile.phase]
  return same.length < 2 ? word : `${word} ${same.indexOf(profile) + 1}`
}
