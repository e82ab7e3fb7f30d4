/** The connections of a client: one for all its feeds, as long as that will do. */
import type { Caller } from "../rest/call.ts"
import { Link, type LinkInput } from "./link.ts"

/** A link, and the durable feeds that are followed over it: a connection follows a feed once. */
interface Shared {
  readonly link: Link
  readonly address: string | undefined
  readonly followed: Set<string>
}

/** Opens as many connections as are needed. */
export class Links {
  readonly #input: LinkInput
  readonly #links: Array<Shared> = []

  constructor(input: LinkInput) {
    this.#input = input
  }

  /** The link for feeds of a connection: the addresses in turn. */
  forFeed(): Link {
    return this.#link(undefined, undefined)
  }

  /** Links on which a durable feed is not followed yet: one, or one for each address. `release`: it is not followed on them any more. */
  forFollowing(feedId: string, isParallel: boolean): { readonly links: ReadonlyArray<Link>; readonly release: () => void } {
    const { addresses } = this.#input.caller
    const links = isParallel ? addresses.map((address) => this.#link(address, feedId)) : [this.#link(undefined, feedId)]
    const release = (): void => {
      for (const shared of this.#links.filter(({ link }) => links.includes(link))) shared.followed.delete(feedId)
    }
    return { links, release }
  }

  #link(address: string | undefined, feedId: string | undefined): Link {
    const fits = (shared: Shared): boolean => shared.address === address && (feedId === undefined || !shared.followed.has(feedId))
    const shared = this.#links.find(fits) ?? this.#add(address)
    if (feedId !== undefined) shared.followed.add(feedId)
    return shared.link
  }

  #add(address: string | undefined): Shared {
    const caller: Caller = { ...this.#input.caller, ...(address === undefined ? {} : { addresses: [address] }) }
    const shared: Shared = { link: new Link({ ...this.#input, caller }), address, followed: new Set() }
    this.#links.push(shared)
    return shared
  }
}
