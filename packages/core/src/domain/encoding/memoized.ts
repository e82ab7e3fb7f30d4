/** Memoizes a pure function of an immutable object for as long as the object lives. */

/**
 * `make`, computed once per object. If the value depends on further arguments, `isOf` says whether the cached value is the one that `make`
 * would return now. This is the only state in modules of the core; it affects nothing but time.
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
