/** The rules of rooms as plain functions: which room may import from which, how many files a room has, and that the table is accurate. */
import { posix } from "node:path"
import { isForTests, type Rule } from "./rules.ts"
import { rooms, type RoomsOfPackage } from "./rooms.ts"
import { importsOf, type Source } from "./sourceFile.ts"

/** The rooms of all packages. */
export type Rooms = Readonly<Record<string, RoomsOfPackage>>

/** A source in a room; test files are in none, nor are packages that are not in the table. */
interface PlacedSource {
  readonly source: Source
  readonly pkg: string
  readonly room: string
}

const placeOf = (path: string): { readonly pkg: string; readonly room: string } | undefined => {
  const [, pkg, file] = /^packages\/([^/]+)\/src\/(.+)$/.exec(path) ?? []
  return pkg === undefined || file === undefined ? undefined : { pkg, room: posix.dirname(file) }
}

const placedSourcesOf = (table: Rooms, sources: ReadonlyArray<Source>): ReadonlyArray<PlacedSource> =>
  sources.flatMap((source) => {
    const place = isForTests(source.path) ? undefined : placeOf(source.path)
    return place === undefined || table[place.pkg] === undefined ? [] : [{ source, ...place }]
  })

/** A name in the table means a room and those in its folder; for a room in that folder it means only the one room. */
const means = (name: string, room: string, beside: string): boolean =>
  room === name || (room.startsWith(`${name}/`) && !beside.startsWith(`${name}/`))

/** The other rooms of its package that a source imports from, with the import. */
const looks = ({ pkg, room, source }: PlacedSource): ReadonlyArray<{ readonly other: string; readonly specifier: string }> =>
  importsOf(source).flatMap(({ specifier }) => {
    if (!specifier.startsWith(".")) return []
    const place = placeOf(posix.join(posix.dirname(source.path), specifier))
    return place === undefined || place.pkg !== pkg || place.room === room ? [] : [{ other: place.room, specifier }]
  })

/** Each source is in a room of the table and imports only from the rooms that its own may import from. */
export const roomsLookOneWay =
  (table: Rooms): Rule =>
  (sources) =>
    placedSourcesOf(table, sources).flatMap((placed) => {
      const { pkg, room, source } = placed
      const allowed = table[pkg]?.[room]
      if (allowed === undefined) return [`${source.path}: ${room} is not among the rooms of ${pkg}`]
      return looks(placed)
        .filter(({ other }) => !allowed.some((name) => means(name, other, room)))
        .map(({ other, specifier }) => `${source.path}: ${room} must not look at ${other} (${specifier})`)
    })

/** Maximum source files in a room. With more files it should be several rooms. */
export const maxFilesOfRoom = 25

/** No room has too many files. */
export const roomsAreSmall =
  (table: Rooms): Rule =>
  (sources) => {
    const counts = new Map<string, number>()
    for (const { pkg, room } of placedSourcesOf(table, sources)) {
      const name = posix.join("packages", pkg, "src", room)
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    return [...counts].flatMap(([name, count]) =>
      count > maxFilesOfRoom ? [`${name}: has ${count} source files, ${maxFilesOfRoom} is the most`] : []
    )
  }

/** Every name beside a room is of rooms above it in the table, so there are no cycles. */
export const tableHasNoCycle = (table: Rooms): ReadonlyArray<string> =>
  Object.entries(table).flatMap(([pkg, ofPackage]) => {
    const names = Object.keys(ofPackage)
    return names.flatMap((room, at) =>
      (ofPackage[room] ?? []).flatMap((name) => {
        const meant = names.filter((other) => other !== room && means(name, other, room))
        const stand = meant.length > 0 && meant.every((other) => names.indexOf(other) < at)
        return stand ? [] : [`${pkg}: ${room} names ${name}, which does not stand above it`]
      })
    )
  })

/** The table has no empty room and no permission that is not used. */
export const tableIsAccurate =
  (table: Rooms): Rule =>
  (sources) => {
    const placedSources = placedSourcesOf(table, sources)
    return Object.entries(table).flatMap(([pkg, ofPackage]) =>
      Object.entries(ofPackage).flatMap(([room, names]) => {
        const inside = placedSources.filter((placed) => placed.pkg === pkg && placed.room === room)
        if (inside.length === 0) return [`${pkg}: nothing lies in ${room}`]
        const seen = inside.flatMap(looks)
        return names
          .filter((name) => !seen.some(({ other }) => means(name, other, room)))
          .map((name) => `${pkg}: ${room} does not look at ${name}`)
      })
    )
  }

/** Every package with sources is in the table. */
export const packagesHaveRooms =
  (table: Rooms): Rule =>
  (sources) => {
    const packages = new Set(sources.flatMap(({ path }) => (isForTests(path) ? [] : (placeOf(path)?.pkg ?? []))))
    return [...packages].filter((pkg) => table[pkg] === undefined).map((pkg) => `packages/${pkg}: has no rooms`)
  }

/** All rules of rooms by name. */
export const roomRules: Readonly<Record<string, Rule>> = {
  "rooms import in one direction": roomsLookOneWay(rooms),
  "every package has rooms": packagesHaveRooms(rooms),
  "no room has too many files": roomsAreSmall(rooms),
  "the table of rooms has no cycle": () => tableHasNoCycle(rooms),
  "the table of rooms is accurate": tableIsAccurate(rooms)
}
