import type { Stored } from './check-history.ts'
import { type Answered, describe, tokenOf, type Write } from './history.ts'

/** What is wrong with writes that were sent several times with one `Idempotency-Key`; empty if each was done once at most. */
export function checkRepeats(writes: readonly Write[], stored: readonly Stored[]): string[] {
  const there = Map.groupBy(stored, ({ text }) => tokenOf(text))
  return writes.flatMap((write) => {
    if (write.answers === undefined) return []
    const wrong = [...differently(write, write.answers), ...forgotten(write, write.answers)]
    const made = there.get(write.token)?.length ?? 0
    if (write.method === 'POST' && made > write.size) wrong.push(`it made ${made} records instead of ${write.size}`)
    return wrong.map((what) => `${describe(write)}: ${what}`)
  })
}

const isDone = ({ status }: Answered) => status < 300

/** Each repeat has the status of the first, and shows the same new records, as far as they are still there. */
function differently({ method, many }: Write, answers: readonly Answered[]): string[] {
  const done = answers.filter(isDone)
  const statuses = new Set(done.map(({ status }) => status))
  const wrong = statuses.size > 1 ? [`its answers have the status ${[...statuses].join(' and ')}`] : []
  // Of many new records, the first that is left may be another one.
  if (method !== 'POST' || many !== undefined) return wrong
  const made = new Set(done.flatMap(({ records }) => records.slice(0, 1).map(({ key }) => key)))
  return made.size > 1 ? [...wrong, `its answers show ${[...made].join(' and ')}`] : wrong
}

/** Once a request is answered as done, none that is sent later is refused, except while the service is busy. */
function forgotten({ counts }: Write, answers: readonly Answered[]): string[] {
  // A repeat of an action asks whether the record may be seen, and others may have deleted it.
  const mayBeGone = (status: number) => status === 404 && (counts?.sells ?? 0) > 0
  const first = Math.min(...answers.filter(isDone).map(({ at }) => at))
  return answers
    .filter(
      (one) => one.sentAt > first && !isDone(one) && !one.isUnknown && one.status !== 503 && !mayBeGone(one.status),
    )
    .map(({ status, code }) => `it is refused (${status} ${code}) after it was done`)
}
