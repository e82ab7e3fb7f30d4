/** A worker that fails before it has started, for tests of the pool. */
throw new Error("stillborn")
