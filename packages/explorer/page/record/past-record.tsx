import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { go, hrefOf } from '../address.ts'
import { type Draft, draftOf } from '../draft/draft.ts'
import { differencesOf, partsMissing } from '../draft/merge.ts'
import { dayOf, endOfDay } from '../history/history.ts'
import type { Row } from '../model/model.ts'
import { type Spot, titleOf } from '../model/names.ts'
import { textOf } from '../model/value-text.ts'
import { DayInput } from '../parts/day-input.tsx'
import { Failure } from '../parts/states.tsx'
import { ask } from '../service/ask.ts'
import { useCaller } from '../service/caller.ts'
import { useModel, useRecord } from '../service/use-model.tsx'
import { DraftProvider } from './draft-context.tsx'
import { DraftForm } from './draft-form.tsx'

interface PastRecordProps {
  readonly spot: Spot & { readonly id: string }
  readonly path: string
  readonly at: string
  readonly onSignIn: () => void
}

/** So many differences from now are listed. */
const SHOWN = 50

/** The record as it was at a moment, with what has become another value since. Nothing of it can be changed. */
export function PastRecord({ spot, path, at, onSignIn }: PastRecordProps) {
  const model = useModel()
  const caller = useCaller()
  const query = new URLSearchParams({ at }).toString()
  const { data, error, refetch } = useQuery({
    queryKey: ['record', caller, path, query],
    queryFn: async ({ signal }) => (await ask<Row>(path, { query, signal })).body,
  })
  const now = useRecord(path).data?.row
  const then = useMemo(() => data && draftOf(model, spot.resource, data), [model, spot.resource, data])
  const since = useMemo(() => {
    if (then === undefined || now === undefined) return undefined
    const current = draftOf(model, spot.resource, now)
    return {
      values: differencesOf(then, current).slice(0, SHOWN),
      gone: partsMissing(then, current).slice(0, SHOWN),
      added: partsMissing(current, then).slice(0, SHOWN),
    }
  }, [model, spot.resource, then, now])
  const titleOfPart = ({ resource, base }: Draft) => titleOf(resource, model.resources[resource], base)
  const back = (
    <a className="button" href={hrefOf(path)}>
      As it is now
    </a>
  )
  const isAt = /^\d{4}-\d\d-\d\dT/.test(at)
  return (
    <>
      <div className="head">
        <h1>{titleOf(spot.resource, model.resources[spot.resource], data ?? { id: spot.id })}</h1>
        <span className="soft">as it was on {(isAt && textOf(at, 'date-time')) || at}</span>
        <span className="grow" />
        <DayInput
          label="on"
          value={isAt ? dayOf(new Date(at)) : ''}
          onChange={(day) => day !== '' && go(path, new URLSearchParams({ at: endOfDay(day) }).toString())}
        />
        {back}
      </div>
      {error && (
        <Failure
          error={error}
          what={`${spot.resource} ${spot.id} of that moment`}
          again={() => void refetch()}
          signIn={onSignIn}
          back={back}
        />
      )}
      {then && (
        <div className="record past">
          <div>
            <DraftProvider value={READ_ONLY}>
              <DraftForm draft={then} path={path} />
            </DraftProvider>
          </div>
          <aside className="aside">
            <section>
              <h2>Since then</h2>
              <ul className="changes">
                {since?.values.map(({ id, path: name, mine, theirs }) => (
                  <li key={id} className="small">
                    <span className="soft">{name}</span> <del>{said(mine)}</del> → <ins>{said(theirs)}</ins>
                  </li>
                ))}
                {since?.gone.map((part) => (
                  <li key={part.key} className="small delete">
                    {titleOfPart(part)} went
                  </li>
                ))}
                {since?.added.map((part) => (
                  <li key={part.key} className="small add">
                    {titleOfPart(part)} came
                  </li>
                ))}
              </ul>
              {since && Object.values(since).every(({ length }) => length === 0) && (
                <p className="soft small">Nothing has changed.</p>
              )}
            </section>
          </aside>
        </div>
      )}
    </>
  )
}

const READ_ONLY = { change: () => {}, problems: new Map(), isReadOnly: true }

const said = (value: unknown): string => textOf(value, 'text') ?? 'nothing'
