/**
 * A `date-time` in UTC, ending in `Z`. The digits behind the second stay as they are. RFC 3339 has a 60th second, which JavaScript does not
 * know: the same point in time is the next minute's first.
 */
export function momentInUtc(text: string): string {
  const fraction = FRACTION.exec(text)?.[0] ?? ''
  const time = Date.parse(text.replace(FRACTION, '').replace(LEAP_SECOND, '59'))
  const inSeconds = new Date(LEAP_SECOND.test(text) ? time + 1_000 : time).toISOString()
  return inSeconds.replace('.000Z', `${fraction}Z`)
}

/** The milliseconds since 1970. Further digits are cut off. */
export function millisecondsOf(text: string): number {
  return Date.parse(momentInUtc(text))
}

const FRACTION = /[.]\d+/
const LEAP_SECOND = /(?<=:\d\d:)60/
