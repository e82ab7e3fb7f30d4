/** Objects without the properties that were not given, for options whose absence means something. */

/** What is there of an object: a property that is undefined is left out. */
export const given = <A extends object>(properties: A): { [Name in keyof A]?: Exclude<A[Name], undefined> } =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as {
    [Name in keyof A]?: Exclude<A[Name], undefined>
  }
