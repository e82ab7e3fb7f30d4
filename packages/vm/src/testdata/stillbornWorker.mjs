/** A worker that fails before it comes up, for tests of the pool. */
throw new Error("stillborn")
