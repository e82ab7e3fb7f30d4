/** Placeholder until the package gets its first module. */
export {}
