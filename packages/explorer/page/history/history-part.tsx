import { go, hrefOf } from '../address.ts'
import type { RecordName } from '../effects/effects.ts'
import { HISTORY } from '../model/names.ts'
import { DayInput } from '../parts/day-input.tsx'
import { endOfDay } from './history.ts'
import { HistoryList, useHistory } from './history-list.tsx'

/** So many of the last writes stand beside a record. */
const LAST = 3

/** The last changes of a record. */
export function HistoryPart({ self, path }: { readonly self: RecordName; readonly path: string }) {
  const history = useHistory(path, `limit=${LAST}`)
  const [first] = history.data?.pages ?? []
  return (
    <section className="history-part">
      <h2>History</h2>
      {history.isError && <p className="soft small">It cannot be read.</p>}
      {first?.rows.length === 0 && <p className="soft small">Nothing was changed since it is kept.</p>}
      {first !== undefined && <HistoryList self={self} path={path} entries={first.rows} />}
      {first !== undefined && (
        <a className="small" href={hrefOf(`${path}${HISTORY}`)}>
          {first.next === undefined ? 'Open the history' : 'All changes'}
        </a>
      )}
      <DayInput
        label="As it was on"
        value=""
        onChange={(day) => day !== '' && go(path, new URLSearchParams({ at: endOfDay(day) }).toString())}
      />
    </section>
  )
}
