/** What programs and upstreams say, as it may be shown in a terminal: nothing in it moves the cursor, changes colours or turns the direction of text. */

/** Control characters (C0, DEL, C1), separators of lines, and what turns the direction of text. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** The text with every such character as `\u{1b}`, except line feeds and tabs. */
export const printable = (text: string): string =>
  text.replaceAll(unprintable, (character) => (character === "\n" || character === "\t" ? character : escaped(character)))
