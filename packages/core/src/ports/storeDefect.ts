/** A caller's violation of a store's contract: an id that does not exist, a hold settled after it was voided. */

/** It is raised as a defect: clients see an internal error, nothing is written. */
export class StoreDefect extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "StoreDefect"
  }
}
