/**
 * Runs on the Node of the container the tests that depend on the engine and on Node's own modules. That Node comes from the registry that
 * `npm ci` uses; where it cannot be had, says so and runs nothing. Arguments are given on to vitest.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** What the registry had when the version was chosen, by platform and architecture: nothing else is run. */
const pinned = {
  version: "24.21.0",
  integrities: {
    "linux-x64": "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
    "linux-arm64": "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g=="
  }
}

const versionOfContainer = /^FROM node:(\d+\.\d+\.\d+)/m.exec(readFileSync(join(root, "ops/container/Dockerfile"), "utf8"))?.[1]
if (versionOfContainer !== pinned.version)
  throw new Error(`the container has Node ${versionOfContainer}, whose packages are not pinned here`)

/** The folder of that Node's binary, kept between runs; `undefined` where there is none for this machine, or the registry is out of reach. */
const folderOfNode = (name, pinnedIntegrity) => {
  const kept = join(root, "node_modules/.cache", name)
  if (existsSync(join(kept, "bin/node"))) return join(kept, "bin")
  const fetched = `${kept}.${process.pid}`
  mkdirSync(fetched, { recursive: true })
  try {
    const packed = execFileSync("npm", ["pack", name, "--json", "--fetch-retries=1", "--pack-destination", fetched], {
      stdio: ["ignore", "pipe", "ignore"]
    })
    const [{ filename, integrity }] = Object.values(JSON.parse(packed))
    if (integrity !== pinnedIntegrity) throw new Error(`${name} is not what it was: ${integrity}`)
    execFileSync("tar", ["-xzf", join(fetched, filename), "-C", fetched, "--strip-components=1", "package/bin/node"])
    rmSync(join(fetched, filename))
    renameSync(fetched, kept)
    return join(kept, "bin")
  } catch (error) {
    if (error.status === undefined) throw error
    return undefined
  } finally {
    rmSync(fetched, { recursive: true, force: true })
  }
}

const platform = `${process.platform}-${process.arch}`
const name = `node-${platform}@${pinned.version}`
const integrity = pinned.integrities[platform]
const isAtHand = process.versions.node === pinned.version
const folder = isAtHand || integrity === undefined ? undefined : folderOfNode(name, integrity)
if (isAtHand) process.stdout.write("skipped: the Node at hand is that of the container\n")
else if (folder === undefined) process.stdout.write(`skipped: ${name} cannot be had, on which these tests would run\n`)
else {
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, SIBYL_TESTS: "containersNode" }
  const { status } = spawnSync(join(folder, "node"), ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)], {
    cwd: root,
    env,
    stdio: "inherit"
  })
  process.exitCode = status ?? 1
}
