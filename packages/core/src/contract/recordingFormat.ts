/** What the file of a recording says it is (docs/RECORDINGS.md). */

/** Its first member. */
export const recordingFormat = "sibyl-recording"

/** The version of the format that is written; others are refused. */
export const recordingVersion = 1
