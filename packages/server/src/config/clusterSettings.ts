/** The settings of a cluster: where its NATS is, who we are there, and which executors belong together. */
import * as Kind from "./settingKind.ts"
import { setting } from "./setting.ts"

const pemFile = Kind.text("a file in PEM form")
const netRule = "1 to 32 of a-z, 0-9 and -, none at either end"
const netForm = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/
const mostPlaces = 1_000_000

/** The settings by name. */
export const clusterSettings = {
  "cluster.servers": setting(
    Kind.addresses,
    "the NATS servers between edges and executors. Without it, a server runs programs in its own process",
    "none",
    "cluster"
  ),
  "cluster.net": setting(
    Kind.text(netRule, netForm),
    "the executors that work together: those with one outbound policy. Edges give runs to one net",
    "default",
    "net"
  ),
  "cluster.zone": setting(Kind.text(), "where this process is; edges prefer executors of their own zone", "none", "zone"),
  "cluster.places": setting(
    Kind.wholeNumber(1, mostPlaces),
    "runs that an executor has at once; most of them wait for the network",
    "16 for each worker"
  ),
  "cluster.user": setting(Kind.text(), "the user at NATS", "none"),
  "cluster.password": setting(Kind.secretText, "the user's password; better kept in the environment", "none"),
  "cluster.token": setting(Kind.secretText, "a token for NATS, instead of a user", "none"),
  "cluster.nkeySeed": setting(Kind.secretText, "the seed of an nkey, instead of a user", "none"),
  "cluster.credentialsFile": setting(Kind.text("a .creds file"), "a JWT and its seed, instead of a user", "none"),
  "cluster.caFile": setting(pemFile, "the certificate authorities that NATS's certificate is checked against", "the system's"),
  "cluster.certFile": setting(pemFile, "our certificate, if NATS asks for one", "none"),
  "cluster.keyFile": setting(pemFile, "the key of our certificate", "none")
}
