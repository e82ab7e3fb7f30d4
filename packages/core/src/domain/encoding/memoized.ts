/** What a pure function made of an object that never changes, kept for as long as the object lives. */

/**
 * `make`, computed once for each object. Where more than the object decides, `isOf` says whether what was made before is
 * what would be made now. It is the one state that modules of the core keep: nobody can tell but by the time it saves.
 */
export const memoized = <Key extends object, Rest extends ReadonlyArray<unknown>, Value extends object | string>(
  make: (key: Key, ...rest: Rest) => Value,
  isOf: (value: Value, ...rest: Rest) => boolean = () => true
): ((key: Key, ...rest: Rest) => Value) => {
  const known = new WeakMap<Key, Value>()
  return (key, ...rest) => {
    const before = known.get(key)
    if (before !== undefined && isOf(before, ...rest)) return before
    const value = make(key, ...rest)
    known.set(key, value)
    return value
  }
}
