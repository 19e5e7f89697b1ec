import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { go, hrefOf } from '../address.ts'
import { EffectsDialog, type WriteRequest } from '../effects/effects-dialog.tsx'
import type { Row } from '../model/model.ts'
import { pathOfRecord, type Spot, titleOf } from '../model/names.ts'
import { Glyph } from '../parts/glyph.tsx'
import { Failure, Nothing } from '../parts/states.tsx'
import { Value } from '../parts/value.tsx'
import { useCaller } from '../service/caller.ts'
import { askList, useForget, useResource } from '../service/use-model.tsx'

interface TrashPageProps {
  readonly spot: Spot
  readonly onSignIn: () => void
}

interface Asking {
  readonly title: string
  readonly verb: string
  readonly isDanger: boolean
  readonly request: WriteRequest
  readonly onDone: () => void
}

/** Deleted records, the last one first: they can be brought back, and where the service lets them, removed for good. */
export function TrashPage({ spot, onSignIn }: TrashPageProps) {
  const resource = useResource(spot.resource)
  const caller = useCaller()
  const forget = useForget()
  const [asking, setAsking] = useState<Asking>()
  const path = `${spot.collection}/$deleted`
  const list = useInfiniteQuery({
    queryKey: ['list', caller, path],
    queryFn: async ({ pageParam, signal }) => {
      const after = pageParam === undefined ? '' : `&after=${encodeURIComponent(pageParam)}`
      return await askList(path, { query: `limit=50${after}`, signal })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
  })
  const moment = resource?.softDelete?.moment ?? 'deletedAt'
  const rows = list.data?.pages.flatMap((page) => page.rows)
  const restore = (row: Row): Asking => ({
    title: `Bring ${titleOf(spot.resource, resource, row)} back?`,
    verb: 'Bring back',
    isDanger: false,
    request: { path: `${pathOfRecord(spot.collection, row.id)}/$restore`, method: 'POST', headers: {} },
    onDone: () => go(pathOfRecord(spot.collection, row.id)),
  })
  const purge = (row: Row): Asking => ({
    title: `Remove ${titleOf(spot.resource, resource, row)} for good?`,
    verb: 'Remove for good',
    isDanger: true,
    request: { path: pathOfRecord(path, row.id), method: 'DELETE', headers: {} },
    onDone: () => {},
  })
  const back = (
    <a className="button" href={hrefOf(spot.collection)}>
      All {spot.resource} records
    </a>
  )
  return (
    <>
      <div className="head">
        <h1>Trash of {spot.resource}</h1>
        <span className="grow" />
        {back}
      </div>
      {list.error && (
        <Failure error={list.error} what="The trash" again={() => void list.refetch()} signIn={onSignIn} back={back} />
      )}
      {rows?.length === 0 && (
        <Nothing glyph="trash" title="The trash is empty">
          What is deleted stays here for a while.
        </Nothing>
      )}
      <ul className="trash">
        {rows?.map((row) => (
          <li key={String(row.id)}>
            <b className="grow">{titleOf(spot.resource, resource, row)}</b>
            <span className="soft small">
              <Value value={row[moment]} schema={{ type: 'string', format: 'date-time' }} />
            </span>
            {resource?.operations.restore && (
              <button type="button" className="button little" onClick={() => setAsking(restore(row))}>
                <Glyph name="undo" />
                Bring back
              </button>
            )}
            {resource?.operations.purge && (
              <button type="button" className="button little danger" onClick={() => setAsking(purge(row))}>
                Remove for good
              </button>
            )}
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <button type="button" className="button trash-more" onClick={() => void list.fetchNextPage()}>
          More
        </button>
      )}
      {asking && (
        <EffectsDialog
          {...asking}
          onClose={() => setAsking(undefined)}
          onDone={() => {
            setAsking(undefined)
            void forget()
            asking.onDone()
          }}
        />
      )}
    </>
  )
}
