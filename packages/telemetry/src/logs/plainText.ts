/** Text that can stand within quotes as it is, in JSON that a terminal is shown. */

/** What is not the same within quotes, or what a terminal might obey. */
export const notPlain = /[^ !#-[\]-~]/
