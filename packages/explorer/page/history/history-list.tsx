import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { go, hrefOf } from '../address.ts'
import { ChangesList } from '../effects/changes-list.tsx'
import { type Change, type Effects, isAbout, pathOfChange, type RecordName, wordsOfChange } from '../effects/effects.ts'
import { EffectsDialog } from '../effects/effects-dialog.tsx'
import type { Row } from '../model/model.ts'
import { HISTORY } from '../model/names.ts'
import { textOf } from '../model/value-text.ts'
import { focusPage } from '../parts/focus.ts'
import { Glyph } from '../parts/glyph.tsx'
import { say } from '../parts/toast.tsx'
import { Blockers } from '../record/blockers.tsx'
import { useCaller } from '../service/caller.ts'
import { askList, useForget, useModel } from '../service/use-model.tsx'
import { type HistoryEntry, type HistoryPage, nameOfCaller, wordsOfEntry } from './history.ts'

/** The writes that have touched a record, the newest first, page by page. */
export function useHistory(path: string, query: string) {
  const caller = useCaller()
  return useInfiniteQuery({
    queryKey: ['history', caller, path, query],
    queryFn: async ({ pageParam, signal }) => {
      const after = pageParam === undefined ? '' : `&after=${encodeURIComponent(pageParam)}`
      const page = await askList(`${path}${HISTORY}`, { query: `${query}${after}`, signal })
      const isEntry = ({ changes, at }: Row) => Array.isArray(changes) && !Number.isNaN(Date.parse(String(at)))
      return { ...page, rows: page.rows.filter(isEntry) } as unknown as HistoryPage
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
  })
}

interface HistoryListProps {
  /** The record, and where it is. */
  readonly self: RecordName
  readonly path: string
  readonly entries: readonly HistoryEntry[]
  /** On a button beside the name of a caller. */
  readonly onCaller?: (by: unknown) => void
}

/** Writes with who did them, when, and what they changed. Each can be undone, after one has seen what that does. */
export function HistoryList({ self, path, entries, onCaller }: HistoryListProps) {
  const model = useModel()
  const forget = useForget()
  const [undoing, setUndoing] = useState<HistoryEntry>()
  const canUndo = model.resources[self.resource]?.operations.undo === true
  const done = (effects: Effects | undefined) => {
    const isThere = !effects?.changes.some((change) => change.action === 'Delete' && isAbout(self, change))
    setUndoing(undefined)
    void forget().then(focusPage)
    say({ text: isThere ? 'It is undone.' : `It is undone: this ${self.resource} is gone.` })
    if (!isThere) go(`${path}${HISTORY}`)
  }
  return (
    <>
      <ol className="history">
        {entries.map((entry) => (
          <li key={entry.write}>
            <div className="row-of">
              <span className="grow">
                <CallerName by={entry.by} onCaller={onCaller} /> {wordsOfEntry(entry, self)}
              </span>
              <time className="soft small" dateTime={entry.at} title={entry.at}>
                <a href={hrefOf(path, new URLSearchParams({ at: entry.at }).toString())} title="As it was then">
                  {textOf(entry.at, 'date-time')}
                </a>
              </time>
              {canUndo && (
                <button
                  type="button"
                  className="button little"
                  aria-label={`Undo: ${textOf(entry.at, 'date-time')}`}
                  onClick={() => setUndoing(entry)}
                >
                  <Glyph name="undo" />
                  Undo
                </button>
              )}
            </div>
            <ChangesList changes={entry.changes} self={self} />
          </li>
        ))}
      </ol>
      {undoing !== undefined && (
        <EffectsDialog
          title={`Undo what ${nameOfCaller(undoing.by)} did on ${textOf(undoing.at, 'date-time')}?`}
          verb="Undo"
          request={{ path: `${path}${HISTORY}/${undoing.write}/$undo`, method: 'POST', headers: {} }}
          onClose={() => setUndoing(undefined)}
          onDone={done}
          refusal={({ blockers, changes }) => (
            <>
              <Blockers blockers={blockers} resource={self.resource} ids={[self.id]} />
              {changes.length > 0 && <Later changes={changes} path={path} />}
            </>
          )}
        />
      )}
    </>
  )
}

function CallerName({ by, onCaller }: { readonly by: unknown; readonly onCaller: HistoryListProps['onCaller'] }) {
  const name: ReactNode = <b>{nameOfCaller(by)}</b>
  if (onCaller === undefined || by === undefined || by === null) return name
  return (
    <button type="button" className="name" title="Only what this caller did" onClick={() => onCaller(by)}>
      {name}
    </button>
  )
}

/** Which later changes are in the way of an undo, with the records that have them. */
function Later({ changes, path }: { readonly changes: readonly Change[]; readonly path: string }) {
  const model = useModel()
  return (
    <>
      <ul>
        {changes.map((change) => {
          const { what, differences } = wordsOfChange(model, change)
          const values = differences.map(({ name, before, after }) => `${name} ${before} → ${after}`)
          const words = [what, values.join(', ')].filter(Boolean).join(': ')
          return (
            <li key={words}>
              <a href={hrefOf(pathOfChange(model, change) ?? path)}>{words}</a>
            </li>
          )
        })}
      </ul>
      Undo these first.
    </>
  )
}
