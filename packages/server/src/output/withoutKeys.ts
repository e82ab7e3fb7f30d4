/** Removes API keys from texts, so that a misplaced key is not repeated on a screen or in a log. */

// Mistyped keys too: anything that begins like a key and has enough characters after its id.
const keyForm = /sibyl_([a-z0-9-]{1,32})_([0-9a-f]{12})_[0-9A-Za-z]+/g

/** The text with keys cut after their public id. */
export const withoutKeys = (text: string): string => text.replace(keyForm, "sibyl_$1_$2_<secret>")
