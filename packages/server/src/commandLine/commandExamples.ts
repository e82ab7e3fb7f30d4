/** Example command lines for the help of each command. A test checks them against the commands. */

const project = "0197a1c2-9b1e-7c3a-8f00-5d2e4b6a7c81"
const key = "3f9c2a7b10de"
const program = "ccc301ed5cb4cf0e7fc929ca8e358151186cb117f2acb2520abe04aa4f59ae36"
const proxy = "0256b328b30c8bf5839e24058747879408bdb36241dc9c2e7c619faa12b2920967"

const examples: Readonly<Record<string, ReadonlyArray<string>>> = {
  "sibyl serve": [
    "sibyl serve --demo",
    "sibyl serve --host 0.0.0.0 --port 8080 --data /var/lib/sibyl",
    "sibyl serve --cluster nats://nats.internal:4222 --set databaseFile=database",
    "sibyl serve --set outbound.allowHosts=hermes.pyth.network,*.example.com --set retention=90d"
  ],
  "sibyl cluster": ["sibyl cluster --executors 3 --demo", "sibyl cluster --executors 2 --edges 2 --set databaseFile=database"],
  "sibyl executor": [
    "sibyl executor --cluster nats://nats.internal:4222 --workers 4",
    "SIBYL_CLUSTER_PASSWORD=... sibyl executor --cluster tls://nats.internal:4222 --set cluster.user=executor --zone fra"
  ],
  "sibyl org create": ["sibyl org create acme --name 'Acme Ltd'"],
  "sibyl org list": ["sibyl org list --json"],
  "sibyl org show": ["sibyl org show acme"],
  "sibyl project create": [
    "sibyl project create --org acme --name Prices",
    `sibyl project create --org acme --usage-limit 100000/24h --allow ${program}`
  ],
  "sibyl project update": [
    `sibyl project update ${project} --usage-limit none --allow any`,
    `sibyl project update ${project} --allow-host api.example.com --allow-host '*.example.org'`,
    `sibyl project update ${project} --limit execWallClockMs=5000`
  ],
  "sibyl project list": ["sibyl project list --org acme"],
  "sibyl project show": [`sibyl project show ${project}`],
  "sibyl key create": [`sibyl key create ${project} --name backend --expires 90d`],
  "sibyl key list": [`sibyl key list ${project}`],
  "sibyl key rotate": [`sibyl key rotate ${key} --overlap 24h`],
  "sibyl key revoke": [`sibyl key revoke ${key}`],
  "sibyl credits grant": [`sibyl credits grant ${project} 1,000,000`],
  "sibyl credits withdraw": [`sibyl credits withdraw ${project} 999,000`],
  "sibyl credits show": [`sibyl credits show ${project}`],
  "sibyl credits journal": [`sibyl credits journal ${project} --amount 100 --before 2001`],
  "sibyl program deploy": ["sibyl program deploy my-feed/build/my-feed.wasm"],
  "sibyl program list": ["sibyl program list --json"],
  "sibyl program show": [`sibyl program show ${program}`],
  "sibyl program name": [`sibyl program name v1.prices.acme ${program}`],
  "sibyl program unname": ["sibyl program unname v1.prices.acme"],
  "sibyl program names": ["sibyl program names --history"],
  "sibyl proxy add": [`sibyl proxy add ${proxy} --name Prices --fee 7`],
  "sibyl proxy list": ["sibyl proxy list"],
  "sibyl proxy remove": [`sibyl proxy remove ${proxy}`],
  "sibyl feed": [
    "sibyl feed --mode FIXED --period 250",
    `SIBYL_KEY=... sibyl feed --url https://oracle.example.com --program ${program} --inputs '{}' --count 10 --json`
  ],
  "sibyl feeds create": [`sibyl feeds create --program ${program} --inputs '{}' --mode FIXED --period 1000`],
  "sibyl feeds list": ["sibyl feeds list"],
  "sibyl feeds show": ["sibyl feeds show 0199c1f0-7d3e-7a52-8c1b-4e5f60718293"],
  "sibyl feeds follow": [
    "sibyl feeds follow 0199c1f0-7d3e-7a52-8c1b-4e5f60718293",
    "sibyl feeds follow 0199c1f0-7d3e-7a52-8c1b-4e5f60718293 --after 1764072000000:41 --json"
  ],
  "sibyl feeds remove": ["sibyl feeds remove 0199c1f0-7d3e-7a52-8c1b-4e5f60718293"],
  "sibyl new": ["sibyl new my-feed"],
  "sibyl build": ["sibyl build my-feed"],
  "sibyl test": ["sibyl test my-feed", "sibyl test my-feed --update", "sibyl test my-feed --profile"],
  "sibyl run": [
    "sibyl run my-feed/build/my-feed.wasm --inputs '{}' --demo",
    "sibyl run my-feed/build/my-feed.wasm --override-host api.example.com=http://127.0.0.1:8080 --record my-feed/cases/new.json"
  ],
  "sibyl profile": [
    "sibyl profile my-feed --inputs '{}' --demo",
    "sibyl profile my-feed/build/my-feed.wasm --inputs '{}' --output my-feed.speedscope.json"
  ],
  "sibyl replay": ["sibyl replay run.json", "sibyl replay run.json --json"],
  "sibyl audit": ["sibyl audit", "sibyl audit --amount 1000 --json"],
  "sibyl runs": [`sibyl runs ${project}`, `sibyl runs ${project} --amount 100 --json`],
  "sibyl deploy": ["sibyl deploy my-feed/build/my-feed.wasm"],
  "sibyl backup": ["sibyl backup /var/backups/sibyl.backup", "sibyl backup /var/backups/sibyl.backup --with-signing-key --json"],
  "sibyl restore": [
    "sibyl restore /var/backups/sibyl.backup --check",
    "sibyl restore /var/backups/sibyl.backup --to sqlite:/var/lib/sibyl/sibyl.sqlite"
  ],
  "sibyl signing-key show": ["sibyl signing-key show"],
  "sibyl signing-key announce": ["sibyl signing-key announce"],
  "sibyl signing-key activate": ["sibyl signing-key activate --in 24h --overlap 30d"],
  "sibyl signing-key retire": [`sibyl signing-key retire ${proxy}`],
  "sibyl signing-key export": ["sibyl signing-key export /media/safe/sibyl.key"],
  "sibyl signing-key import": ["sibyl signing-key import /media/safe/sibyl.key"],
  "sibyl config": ["sibyl config", "sibyl config --port 8080 --json"],
  "sibyl top": ["sibyl top", "SIBYL_METRICS_TOKEN=... sibyl top --url http://10.0.0.5:8717 --once --json"],
  "sibyl doctor": [
    "sibyl doctor",
    "sibyl doctor --reach https://api.example.com/price",
    "sibyl doctor --executor --cluster nats://127.0.0.1:4222"
  ]
}

/** The examples of a command, by its path. */
export const examplesOf = (path: string): ReadonlyArray<string> => examples[path] ?? []
