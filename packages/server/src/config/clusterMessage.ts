/** How a process takes part in a cluster, as a message to a process of the same server. */
import type { NatsOptions } from "@sibyl/cluster"
import { Redacted } from "effect"
import type { ClusterConfiguration } from "./configuration.ts"
import { given } from "./given.ts"

type Secret = "password" | "token" | "nkeySeed"

/** Contains secrets in the clear, so it goes over a channel, never on a command line. */
export interface ClusterMessage extends Omit<ClusterConfiguration, "nats"> {
  readonly nats: Omit<NatsOptions, Secret>
  readonly secrets: { readonly [Name in Secret]?: string }
}

const plain = (secret: Redacted.Redacted | undefined): string | undefined => (secret === undefined ? undefined : Redacted.value(secret))

const redacted = (text: string | undefined): Redacted.Redacted | undefined => (text === undefined ? undefined : Redacted.make(text))

/** As a message. */
export const clusterMessage = ({ nats, ...others }: ClusterConfiguration): ClusterMessage => {
  const { nkeySeed, password, token, ...open } = nats
  return { ...others, nats: open, secrets: given({ nkeySeed: plain(nkeySeed), password: plain(password), token: plain(token) }) }
}

/** From a message. */
export const clusterIn = ({ nats, secrets, ...others }: ClusterMessage): ClusterConfiguration => ({
  ...others,
  nats: {
    ...nats,
    ...given({ nkeySeed: redacted(secrets.nkeySeed), password: redacted(secrets.password), token: redacted(secrets.token) })
  }
})
