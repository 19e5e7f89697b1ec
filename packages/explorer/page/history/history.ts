import { type Effects, isAbout, type RecordName } from '../effects/effects.ts'

/** A write of the past, as the service says it: see the page on history. */
export interface HistoryEntry extends Effects {
  readonly at: string
  readonly operation: string
  readonly resource?: string
  readonly id?: unknown
  readonly by?: unknown
}

export interface HistoryPage {
  readonly rows: readonly HistoryEntry[]
  readonly next?: string
}

const DONE: Readonly<Record<string, string>> = {
  create: 'created',
  replace: 'changed',
  patch: 'changed',
  delete: 'deleted',
  restore: 'brought back',
  batch: 'changed',
  undo: 'undid a change of',
}

/** Names by which applications know people. */
const NAMES = ['name', 'user', 'email', 'id']

/** Who did it, as `historyOf` of the application names people. */
export function nameOfCaller(by: unknown): string {
  if (by === undefined || by === null) return 'Somebody'
  if (typeof by !== 'object') return String(by)
  const named = NAMES.map((name) => (by as Readonly<Record<string, unknown>>)[name])
  const found = named.find((value) => typeof value === 'string' || typeof value === 'number')
  return found === undefined ? JSON.stringify(by) : String(found)
}

/** What was done, behind who did it: `changed this book`. */
export function wordsOfEntry({ operation, resource, id }: HistoryEntry, self: RecordName): string {
  const done = Object.hasOwn(DONE, operation) ? DONE[operation] : `ran ${operation} on`
  if (resource === undefined) return `${done} several records`
  if (id === undefined || id === null) return `${done} ${resource} records`
  return `${done} ${isAbout(self, { resource, id }) ? `this ${resource}` : `${resource} ${String(id)}`}`
}

const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' })

/** The writes of each day in the reader's own time zone, in the order that they have. */
export function byDay(entries: readonly HistoryEntry[]): (readonly [day: string, readonly HistoryEntry[]])[] {
  const found = new Map<string, HistoryEntry[]>()
  for (const entry of entries) {
    const day = days.format(new Date(entry.at))
    const ofDay = found.get(day)
    if (ofDay === undefined) found.set(day, [entry])
    else ofDay.push(entry)
  }
  return [...found]
}

const FROM = 'filter[at][gte]'
const UNTIL = 'filter[at][lt]'
const BY = 'filter[by]'

/** Which writes are shown: those of some days, or of one caller. They are in the address, as the service takes them. */
export interface HistoryFilter {
  /** Days in the reader's own time zone, as `<input type="date">` has them; empty: any. */
  readonly from: string
  readonly until: string
  /** JSON of the caller's name. */
  readonly by: string
}

export function filterIn(query: URLSearchParams): HistoryFilter {
  const dayIn = (name: string, shift: number): string => dayOf(new Date(query.get(name) ?? Number.NaN), shift)
  return { from: dayIn(FROM, 0), until: dayIn(UNTIL, -1), by: query.get(BY) ?? '' }
}

export function queryOf({ from, until, by }: HistoryFilter): URLSearchParams {
  const query = new URLSearchParams()
  if (from !== '') query.set(FROM, startOfDay(from, 0))
  if (until !== '') query.set(UNTIL, startOfDay(until, 1))
  if (by !== '') query.set(BY, by)
  return query
}

/** The day of a moment for the reader, so many days later; empty of what is no moment. */
export function dayOf(moment: Date, later = 0): string {
  if (Number.isNaN(moment.getTime())) return ''
  const [year, month, day] = [moment.getFullYear(), moment.getMonth(), moment.getDate() + later]
  return new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10)
}

function startOfDay(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}

/** The last moment of a day: all that was written on it is done. */
export const endOfDay = (day: string): string => new Date(Date.parse(startOfDay(day, 1)) - 1).toISOString()
