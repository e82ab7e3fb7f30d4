/** What the file of a recording says it is (docs/RECORDINGS.md). */

/** Its first member. */
export const recordingFormat = "sibyl-recording"

/** The version that services give: signed. */
export const recordingVersion = 2

/** The version without a signature; it is read like the other. */
export const unsignedRecordingVersion = 1
