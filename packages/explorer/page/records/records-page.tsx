import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { hrefOf, replaceAddress, useAddress } from '../address.ts'
import { conditionsIn, withConditions } from '../model/filters.ts'
import { pathOfRecord, type Spot } from '../model/names.ts'
import { Glyph } from '../parts/glyph.tsx'
import { Failure, Nothing } from '../parts/states.tsx'
import { ActionsPart } from '../record/actions-part.tsx'
import { useCaller } from '../service/caller.ts'
import { askList, type ListAnswer, useModel, useResource } from '../service/use-model.tsx'
import { ColumnsMenu } from './columns-menu.tsx'
import { FilterChips, FilterMenu } from './filter-menu.tsx'
import { Grid } from './grid.tsx'
import { ListMenu } from './list-menu.tsx'
import { columnsIn, requestOf } from './list-query.ts'
import { SearchBox } from './search-box.tsx'
import { EMPTY_SELECTION, isSelected, MOST_SELECTED, type Selection, select } from './selection.ts'
import { SelectionBar } from './selection-bar.tsx'
import { useLiveRows } from './use-live-rows.ts'

/** As many records are read at once, or as many as the service gives. */
const PAGE = 100

interface RecordsPageProps {
  readonly spot: Spot
  readonly onSignIn: () => void
}

/** The list of a resource, at the top or below an owner. */
export function RecordsPage({ spot, onSignIn }: RecordsPageProps) {
  const { query: text } = useAddress()
  const query = new URLSearchParams(text)
  const model = useModel()
  const resource = useResource(spot.resource)
  const columns = columnsIn(model, spot.resource, query)
  const list = useRows(spot.collection, query, columns, Math.min(PAGE, model.limits.maxPage))
  const setQuery = (next: URLSearchParams) => replaceAddress(spot.collection, next.toString())
  const conditions = conditionsIn(query)
  const pages = list.data?.pages
  const [first] = pages ?? []
  const read = useMemo(() => pages?.flatMap((page) => page.rows), [pages])
  const live = useLiveRows(spot.resource, `${spot.collection}?${text}`, list.isPlaceholderData ? undefined : read)
  const rows = list.isPlaceholderData ? (read ?? []) : live.rows
  const count = first && countText(first)
  const isFiltered = conditions.length > 0 || query.has('search') || query.has('filter')
  // What other conditions do not show is not chosen any more.
  const shown = JSON.stringify([conditions, query.get('search'), query.get('filter')])
  const [chosen, setChosen] = useState<{
    readonly shown: string
    readonly selection: Selection
    readonly isAll?: true
  }>()
  const isAll = chosen?.shown === shown && chosen.isAll === true
  const selection = isAll
    ? select(EMPTY_SELECTION, rows, true)
    : chosen?.shown === shown
      ? chosen.selection
      : EMPTY_SELECTION
  const selected = [...selection.values()].filter((row) => live.markOf(row)?.state !== 'gone')
  // A write by a filter has no search, and is not for all records that there are.
  const filter = withConditions(new URLSearchParams(), conditions)
  if (query.has('filter')) filter.set('filter', String(query.get('filter')))
  const isAllShown = (read ?? []).every((row) => isSelected(selection, row))
  const matching =
    (isAll || (isAllShown && (list.hasNextPage || rows.length > MOST_SELECTED))) &&
    filter.size > 0 &&
    !query.has('search')
      ? { query: filter.toString(), count: count ?? '' }
      : undefined
  const canSelect = resource?.id !== undefined && (resource.operations.patch || resource.operations.delete)
  const isNeverShown = resource?.operations.list === false

  return (
    <>
      <div className="head">
        <h1>{spot.resource}</h1>
        <span className="soft" aria-live="polite">
          {count}
        </span>
        <span className="grow" />
        <ActionsPart resource={spot.resource} on="list" path={spot.collection} />
        {resource && (
          <ListMenu
            resource={resource}
            list={{ path: spot.collection, query, columns, pageSize: model.limits.maxPage, name: spot.resource }}
          />
        )}
        {resource?.operations.create && (
          <a className="button main" href={hrefOf(pathOfRecord(spot.collection, '$new'))}>
            <Glyph name="plus" />
            New {spot.resource}
          </a>
        )}
      </div>
      <search className="tools">
        {resource?.search && <SearchBox key={spot.collection} query={query} onChange={setQuery} />}
        <FilterChips
          conditions={conditions}
          resource={spot.resource}
          onChange={(next) => setQuery(withConditions(query, next))}
          json={query.get('filter')}
          onDropJson={() => setQuery(without(query, 'filter'))}
        />
        <FilterMenu
          resource={spot.resource}
          onAdd={(one) =>
            setQuery(
              withConditions(query, [
                ...conditions.filter((c) => c.path !== one.path || c.operator !== one.operator),
                one,
              ]),
            )
          }
        />
        <span className="grow" />
        <ColumnsMenu resource={spot.resource} columns={columns} query={query} onChange={setQuery} />
      </search>
      {list.error && !list.isFetchNextPageError ? (
        <Failure
          error={list.error}
          what={spot.resource}
          again={() => void list.refetch()}
          signIn={onSignIn}
          back={isFiltered || text !== '' ? <ClearButton onClick={() => setQuery(new URLSearchParams())} /> : undefined}
        />
      ) : first !== undefined && rows.length === 0 ? (
        <Nothing
          glyph={isFiltered ? 'search' : 'table'}
          title={isFiltered ? `No ${spot.resource} matches` : `There is no ${spot.resource} yet`}
          buttons={isFiltered ? <ClearButton onClick={() => setQuery(new URLSearchParams())} /> : undefined}
        >
          {isFiltered
            ? 'Each condition has to hold.'
            : isNeverShown
              ? 'The service does not list them.'
              : resource?.description}
        </Nothing>
      ) : (
        <Grid
          spot={spot}
          columns={columns}
          rows={rows}
          markOf={live.markOf}
          isPending={list.isPending}
          isStale={list.isPlaceholderData}
          query={query}
          onQuery={setQuery}
          onEnd={() => list.hasNextPage && !list.isFetchingNextPage && void list.fetchNextPage()}
          hasMore={list.hasNextPage}
          selection={canSelect ? selection : undefined}
          onSelect={(next) => setChosen({ shown, selection: next })}
        />
      )}
      {selected.length > 0 && (
        <SelectionBar
          spot={spot}
          rows={selected}
          matching={matching}
          isAll={isAll}
          onAll={() => setChosen({ shown, selection, isAll: true })}
          onClear={() => setChosen(undefined)}
        />
      )}
      <div className="foot-line">
        {rows.length > 0 && `${read?.length ?? 0} shown${list.hasNextPage ? ', more below' : ''}`}
        <span className="live-words" role="status">
          {live.words}
        </span>
        {list.isFetchNextPageError && (
          <button type="button" className="button little" onClick={() => void list.fetchNextPage()}>
            The next records did not come: ask again
          </button>
        )}
      </div>
    </>
  )
}

const ClearButton = ({ onClick }: { readonly onClick: () => void }) => (
  <button type="button" className="button" onClick={onClick}>
    Show all
  </button>
)

function without(query: URLSearchParams, name: string): URLSearchParams {
  const next = new URLSearchParams(query)
  next.delete(name)
  return next
}

const countText = ({ count, countIs }: ListAnswer): string =>
  count === undefined ? '' : `${count.toLocaleString()}${countIs === 'atLeast' ? '+' : ''}`

/** Pages by cursor. While other ones are read, the old rows stay in sight. */
function useRows(path: string, query: URLSearchParams, columns: readonly string[], pageSize: number) {
  const caller = useCaller()
  const text = query.toString()
  return useInfiniteQuery({
    queryKey: ['list', caller, path, text, columns.join(',')],
    queryFn: async ({ pageParam, signal }) =>
      askList(path, { query: requestOf(query, columns, pageSize, pageParam), signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.rows.length === 0 ? undefined : page.next),
    placeholderData: keepPreviousData,
  })
}
