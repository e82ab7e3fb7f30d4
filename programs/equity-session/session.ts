/** The trading sessions of US equities over a week, in US Eastern time. */
import { easternSeconds } from "./easternTime"

/** The sessions in the order of the inputs. Each one's reference is the previous one; the first one's is the last. */
export const sessionNames: Array<string> = ["PREMARKET", "NORMAL", "POSTMARKET", "OVERNIGHT"]

const premarket: i32 = 0
const normal: i32 = 1
const postmarket: i32 = 2
const overnight: i32 = 3

/** The session at a time. */
export class Session {
  constructor(
    /** Its index in {@link sessionNames}; while the market is closed, that of the last session. */
    readonly at: i32,
    readonly isClosed: bool
  ) {}
}

/** The session at a time (epoch seconds). Its window includes its first second and excludes its last. */
export function sessionAt(timeS: i64): Session {
  // Adding a week changes nothing, and keeps the first hours of 1970 positive.
  const local = easternSeconds(timeS) + 7 * 86400
  // 1 January 1970 was a Thursday; 0 is Sunday.
  const weekday = <i32>((local / 86400 + 4) % 7)
  const minute = <i32>(local % 86400) / 60
  const isEvening = minute >= 20 * 60
  // The week ends on Friday at 20:00 and begins on Sunday at 20:00.
  if (weekday == 6 || (weekday == 5 && isEvening) || (weekday == 0 && !isEvening)) return new Session(postmarket, true)
  if (isEvening || minute < 4 * 60) return new Session(overnight, false)
  if (minute < 9 * 60 + 30) return new Session(premarket, false)
  return new Session(minute < 16 * 60 ? normal : postmarket, false)
}
