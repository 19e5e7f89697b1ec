/** The bounds of a range of moments or dates. An empty text: there is no bound. */
export interface Range {
  readonly opening: string
  readonly from: string
  readonly to: string
  readonly closing: string
}

/** The formats of texts that are such ranges. */
export const RANGE_FORMATS = ['date-time-range', 'date-range'] as const

/** `["2026-01-01T00:00:00Z","2026-02-01T00:00:00Z")`, also without quotes. Moments have no brackets, and no more characters. */
const RANGE = /^([[(])("?)([^",()[\]]{0,60})\2,("?)([^",()[\]]{0,60})\4([\])])$/

const EMPTY = 'empty'
const INFINITE = ['infinity', '-infinity']

/** Reads the text of a range; undefined if it is none, or the empty one. */
export function readRange(text: string): Range | undefined {
  const [, opening, quote, from = '', lastQuote, to = '', closing] = RANGE.exec(text) ?? []
  if (opening === undefined || closing === undefined) return undefined
  // In quotes, it is a bound that is no moment.
  if ((quote !== '' && from === '') || (lastQuote !== '' && to === '')) return undefined
  return { opening, from, to, closing }
}

/** The test for a range whose bounds pass one. */
export function isRangeOf(isBound: (text: string) => boolean): (text: string) => boolean {
  const fits = (bound: string) => bound === '' || INFINITE.includes(bound) || isBound(bound)
  return (text) => {
    if (text === EMPTY) return true
    const range = readRange(text)
    return range !== undefined && fits(range.from) && fits(range.to)
  }
}
