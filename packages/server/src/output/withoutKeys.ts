/** Removes API keys and tickets from texts, so that a misplaced one is not repeated on a screen or in a log. */

// Mistyped keys too: anything that begins like a key and has enough characters after its id.
const keyForm = /(sibylt?_[a-z0-9-]{1,32}_(?:[0-9a-f]{12}|[0-9a-f]{16}))_[0-9A-Za-z]+/g

/** The text with keys and tickets cut after their public id. */
export const withoutKeys = (text: string): string => text.replace(keyForm, "$1_<secret>")
