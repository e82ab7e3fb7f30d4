/** The operator's options for outbound requests, and their checked form. */
import { InvalidOption } from "@sibyl/core"
import { allowsHost, checkNames } from "@sibyl/core/internal"
import { X509Certificate } from "node:crypto"
import { validateHeaderName, validateHeaderValue } from "node:http"
import { isIP } from "node:net"

/** Resolves a host name to its addresses in text form. A rejection or an empty list means that it has none. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<string>>

/**
 * Options of the outbound policy. A *host* below is written as in a URL: `api.example.com`, or with a port that is not the scheme's
 * default, `api.example.com:8443`.
 */
export interface OutboundOptions {
  /** Hosts that programs may reach, on any port: exact, or `*.example.com` for every name below. Absent: all public ones. */
  readonly allowHosts?: ReadonlyArray<string>
  /**
   * Overrides: host to origin (`http://127.0.0.1:8080`). The operator vouches for the origin, so its address is not checked. The program
   * still sees the URL that it requested, and the origin sees its `Host`.
   */
  readonly hostOverrides?: Readonly<Record<string, string>>
  /** Headers added for a host by the operator, over `https` or to an override only; programs never see them. */
  readonly hostHeaders?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Requests to one host that may be under way at once, of which one project has at most half; others wait. Default: 1,024. */
  readonly requestsPerHost?: number
  /** A host that does not answer so many requests in a row is asked nothing for a while. 0: never. Default: 5. */
  readonly failuresToRest?: number
  /** Hosts that are told the trace of a run, as `traceparent` and `tracestate`: exact, or `*.example.com`. Programs never see it. Default: none. */
  readonly traceHosts?: ReadonlyArray<string>
  /** Certificate authorities in PEM form, trusted in addition to the runtime's own. */
  readonly extraCaPem?: ReadonlyArray<string>
  /** Name servers, `address` or `address:port`. Default: the system's. The hosts file takes precedence in any case. */
  readonly dnsServers?: ReadonlyArray<string>
  /** Resolves names instead of the hosts file and name servers. */
  readonly resolve?: Resolve
}

/** The origin that overrides a host. */
export interface HostOverride {
  readonly secure: boolean
  /** As in a URL: an IPv6 literal keeps its brackets. */
  readonly hostname: string
  readonly port: number
}

/** The options, checked and indexed by lower-case host. */
export interface OutboundPolicy {
  readonly allowsHost: (hostname: string) => boolean
  /** Whether the host is told the trace of a run. */
  readonly tracesHost: (hostname: string) => boolean
  readonly overrides: ReadonlyMap<string, HostOverride>
  readonly hostHeaders: ReadonlyMap<string, ReadonlyArray<readonly [name: string, value: string]>>
}

/** The port of a URL as a number. */
export const portOf = (url: URL): number => {
  if (url.port !== "") return Number(url.port)
  return url.protocol === "https:" ? 443 : 80
}

/** A host as in URLs: lower case, no trailing dot. Anything else is a mistake in the configuration. */
const canonicalHost = (option: string, host: string): string => {
  const url = URL.canParse(`https://${host}/`) ? new URL(`https://${host}/`) : undefined
  if (url === undefined || url.href !== `https://${url.host}/`) throw new InvalidOption(option, `not a host: ${host}`)
  return url.host.replace(/\.(?=$|:)/, "")
}

const hostOverrideOf = (option: string, origin: string): HostOverride => {
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new InvalidOption(option, `not an http or https origin: ${origin}`)
  }
  return { secure: url.protocol === "https:", hostname: url.hostname, port: portOf(url) }
}

/** A header of the operator; no message repeats its value, which may be a key. */
const headerOf = (option: string, [name, value]: readonly [string, string]): readonly [string, string] => {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch {
    throw new InvalidOption(option, `not a header, or not a value of one: ${name}`)
  }
  return [name.toLowerCase(), value]
}

const canonicalPatterns = (option: string, patterns: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!Array.isArray(patterns)) throw new InvalidOption(option, "not a list of hosts")
  return patterns.map((pattern: unknown) => {
    const text = String(pattern)
    return text.startsWith("*.") ? `*.${canonicalHost(option, text.slice(2))}` : canonicalHost(option, text)
  })
}

const byHost = <In, Out>(option: string, given: Readonly<Record<string, In>> = {}, read: (one: In) => Out): ReadonlyMap<string, Out> =>
  new Map(Object.entries(given).map(([host, one]) => [canonicalHost(option, host), read(one)]))

const portForm = /^[0-9]{1,5}$/

/** `address` or `address:port`, as the runtime takes it; an IPv6 address with a port stands in brackets. */
const isNameServer = (text: string): boolean => {
  if (isIP(text) !== 0) return true
  const [, bracketed, plain = "", port = ""] = /^(?:\[(.*)\]|([^:]*))(?::(.*))?$/s.exec(text) ?? []
  const isAddress = bracketed === undefined ? isIP(plain) === 4 : isIP(bracketed) === 6
  return isAddress && (port === "" ? !text.endsWith(":") : portForm.test(port) && Number(port) >= 1 && Number(port) <= 65_535)
}

const certificateForm = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----.*?-----END \1-----/gs

/** Whether a text has certificates, and all of them can be read: runtimes ignore others. */
export const hasAuthorities = (pem: string): boolean => {
  const certificates = pem.match(certificateForm) ?? []
  try {
    return certificates.map((certificate) => new X509Certificate(certificate)).length > 0
  } catch {
    return false
  }
}

/** What only shows with the first request otherwise, as a host that cannot be reached. */
const checkReach = ({ dnsServers = [], extraCaPem = [] }: OutboundOptions): void => {
  const unknown = dnsServers.find((server) => !isNameServer(server))
  if (unknown !== undefined) throw new InvalidOption("outbound.dnsServers", `not an IP address, or one with a port: ${unknown}`)
  // No message repeats it: a key may stand beside it.
  if (!extraCaPem.every(hasAuthorities)) throw new InvalidOption("outbound.extraCaPem", "no certificates in PEM form")
}

const names: Readonly<Record<keyof OutboundOptions, true>> = {
  allowHosts: true,
  hostOverrides: true,
  hostHeaders: true,
  requestsPerHost: true,
  failuresToRest: true,
  traceHosts: true,
  extraCaPem: true,
  dnsServers: true,
  resolve: true
}

/** Checks the options. Throws `InvalidOption` for the first that breaks its rule, because they are set by the embedder's own code. */
export const outboundPolicy = (options: OutboundOptions): OutboundPolicy => {
  checkNames(options, names, "outbound.")
  checkReach(options)
  const { allowHosts, hostHeaders, hostOverrides, traceHosts = [] } = options
  const [overriding, adding] = ["outbound.hostOverrides", "outbound.hostHeaders"]
  const allowed = allowHosts === undefined ? undefined : canonicalPatterns("outbound.allowHosts", allowHosts)
  const traced = canonicalPatterns("outbound.traceHosts", traceHosts)
  return {
    allowsHost: (hostname) => allowed === undefined || allowsHost(allowed, hostname),
    tracesHost: (hostname) => allowsHost(traced, hostname),
    overrides: byHost(overriding, hostOverrides, (origin) => hostOverrideOf(overriding, origin)),
    hostHeaders: byHost(adding, hostHeaders, (headers) => Object.entries(headers).map((header) => headerOf(adding, header)))
  }
}
