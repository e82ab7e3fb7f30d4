/** Texts without API keys: a key that was typed in the wrong place is not repeated on a screen or in a log. */

// Wrongly typed ones too: whatever begins like a key and has a secret's worth of characters behind its id.
const keyForm = /sibyl_([a-z0-9-]{1,32})_([0-9a-f]{12})_[0-9A-Za-z]+/g

/** A text in which keys end after their public id. */
export const withoutKeys = (text: string): string => text.replace(keyForm, "sibyl_$1_$2_<secret>")
