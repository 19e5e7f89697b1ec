import { hrefOf, replaceAddress, useAddress } from '../address.ts'
import { pathOfRecord, type Spot } from '../model/names.ts'
import { DayInput } from '../parts/day-input.tsx'
import { Glyph } from '../parts/glyph.tsx'
import { Failure, Nothing } from '../parts/states.tsx'
import { byDay, filterIn, type HistoryFilter, nameOfCaller, queryOf } from './history.ts'
import { HistoryList, useHistory } from './history-list.tsx'

const PAGE = 20

interface HistoryPageProps {
  readonly spot: Spot & { readonly id: string }
  readonly path: string
  readonly onSignIn: () => void
}

/** Who changed what of a record and of what it owns, the newest first. A record that is gone may have one, too. */
export function HistoryPage({ spot, path, onSignIn }: HistoryPageProps) {
  const { query } = useAddress()
  const record = pathOfRecord(spot.collection, spot.id)
  const filter = filterIn(new URLSearchParams(query))
  const asked = queryOf(filter)
  const isFiltered = asked.size > 0
  asked.set('limit', String(PAGE))
  const history = useHistory(record, asked.toString())
  const entries = history.data?.pages.flatMap(({ rows }) => rows)
  const set = (next: Partial<HistoryFilter>) => replaceAddress(path, queryOf({ ...filter, ...next }).toString())
  const back = (
    <a className="button" href={hrefOf(record)}>
      {spot.resource} {spot.id}
    </a>
  )
  return (
    <>
      <div className="head">
        <h1>
          History of {spot.resource} {spot.id}
        </h1>
        <span className="grow" />
        {back}
      </div>
      <search className="tools">
        <DayInput label="from" value={filter.from} onChange={(from) => set({ from })} />
        <DayInput label="until" value={filter.until} onChange={(until) => set({ until })} />
        {filter.by !== '' && (
          <span className="chip filter">
            <span>by {nameOfCaller(jsonOf(filter.by))}</span>
            <button type="button" aria-label="By anybody" onClick={() => set({ by: '' })}>
              <Glyph name="cross" />
            </button>
          </span>
        )}
      </search>
      {history.error && !history.isFetchNextPageError && (
        <Failure
          error={history.error}
          what={`The history of ${spot.resource} ${spot.id}`}
          again={() => void history.refetch()}
          signIn={onSignIn}
          back={back}
        />
      )}
      {history.isPending && (
        <div className="history-day" aria-busy="true">
          <span className="bone input-bone" />
        </div>
      )}
      {entries?.length === 0 && (
        <Nothing glyph="clock" title={isFiltered ? 'No change matches' : 'Nothing was changed yet'}>
          {isFiltered ? 'Choose other days.' : 'The next change of this record will be here.'}
        </Nothing>
      )}
      {byDay(entries ?? []).map(([day, ofDay]) => (
        <section key={day} className="history-day">
          <h2>{day}</h2>
          <HistoryList
            self={{ resource: spot.resource, id: spot.id }}
            path={record}
            entries={ofDay}
            onCaller={(by) => set({ by: JSON.stringify(by) })}
          />
        </section>
      ))}
      {history.hasNextPage && (
        <button
          type="button"
          className="button trash-more"
          disabled={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          {history.isFetchNextPageError ? 'The earlier ones did not come: ask again' : 'Earlier changes'}
        </button>
      )}
    </>
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
