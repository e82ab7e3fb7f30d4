/** Whether a program is larger than it may be, before anybody reads it. */

/** The reason; undefined if it is not. */
export const sizeFault = (bytes: Uint8Array, { programBytes }: { readonly programBytes: number }): string | undefined =>
  bytes.length > programBytes ? `the program has ${bytes.length} bytes, at most ${programBytes} are allowed` : undefined
