/** Removes undefined properties, for options whose absence has a meaning. */

/** The object without its undefined properties. */
export const given = <A extends object>(properties: A): { [Name in keyof A]?: Exclude<A[Name], undefined> } =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as {
    [Name in keyof A]?: Exclude<A[Name], undefined>
  }
