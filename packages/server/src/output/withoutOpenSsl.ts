/** What OpenSSL says of a connection, in the words of a person. */

/** `802C…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/…:350:` and a line break, of a WebSocket after `write EPROTO `. */
const form = /^(?:\w+ EPROTO )?[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):[^]*$/

const meanings: Readonly<Record<string, string>> = {
  "wrong version number": "it speaks no TLS",
  "packet length too long": "it speaks no TLS"
}

/** The reason alone, of OpenSSL's line; any other text as it is. */
export const withoutOpenSsl = (said: string): string =>
  said.replace(form, (_line, reason: string) => meanings[reason] ?? `TLS failed: ${reason}`)
