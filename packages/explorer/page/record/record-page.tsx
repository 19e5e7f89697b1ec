import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { go, guardAddress, hrefOf, useAddress } from '../address.ts'
import { bodyOf, countChanges, type DraftProblems, isRemoving, placeProblems } from '../draft/body.ts'
import { changeDraft, copyOf, type Draft, draftOf, newDraft } from '../draft/draft.ts'
import { mergeDrafts } from '../draft/merge.ts'
import { EffectsDialog, type WriteRequest } from '../effects/effects-dialog.tsx'
import { HistoryPart } from '../history/history-part.tsx'
import { undoWrite } from '../history/undo-write.ts'
import type { Id, Row } from '../model/model.ts'
import { HISTORY, pathOfRecord, type Spot, titleOf } from '../model/names.ts'
import { BrokenJson } from '../parts/field-input.tsx'
import { keepSpot } from '../parts/focus.ts'
import { Glyph } from '../parts/glyph.tsx'
import { Failure } from '../parts/states.tsx'
import { say } from '../parts/toast.tsx'
import { useShortcut } from '../parts/use-shortcut.ts'
import { ask } from '../service/ask.ts'
import { useCaller } from '../service/caller.ts'
import { ServiceError, statusOf } from '../service/problem.ts'
import { type RecordAnswer, readRecord, recordKey, useForget, useModel, useRecord } from '../service/use-model.tsx'
import { ActionsPart } from './actions-part.tsx'
import { Blockers } from './blockers.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { DraftProvider } from './draft-context.tsx'
import { DraftForm } from './draft-form.tsx'
import { IncomingPart } from './incoming-part.tsx'
import { LiveNote } from './live-note.tsx'
import { PastRecord } from './past-record.tsx'

type RecordSpot = Spot & { readonly id: string }

interface RecordPageProps {
  readonly spot: RecordSpot
  readonly path: string
  readonly onSignIn: () => void
}

/** One record, or a new one: `/book/$new`, with `?copy=7` that of another one. */
export function RecordPage({ spot, path, onSignIn }: RecordPageProps) {
  const { query } = useAddress()
  const model = useModel()
  const isNew = spot.id === '$new'
  const parameters = new URLSearchParams(query)
  const at = isNew ? null : parameters.get('at')
  const source = isNew ? parameters.get('copy') : spot.id
  const read = source === null ? path : pathOfRecord(spot.collection, source)
  const record = useRecord(read, source !== null && at === null)
  const fresh = useMemo(() => newDraft(model, spot.resource), [model, spot.resource])
  if (at !== null) return <PastRecord key={at} spot={spot} path={path} at={at} onSignIn={onSignIn} />
  if (source === null) return <Editor key="new" spot={spot} path={path} first={fresh} etag={undefined} />
  if (record.error && record.data === undefined) {
    const back = (
      <a className="button" href={hrefOf(spot.collection)}>
        All {spot.resource} records
      </a>
    )
    // What was deleted may have one still, and a way back.
    const hasHistory = !isNew && model.resources[spot.resource]?.operations.history === true
    const history = hasHistory && (
      <a className="button" href={hrefOf(`${path}${HISTORY}`)}>
        History
      </a>
    )
    return (
      <Failure
        error={record.error}
        what={`${spot.resource} ${source}`}
        again={() => void record.refetch()}
        signIn={onSignIn}
        back={
          <>
            {back}
            {history}
          </>
        }
      />
    )
  }
  if (record.data === undefined) return <RecordBones />
  return (
    <Loaded
      key={read}
      spot={spot}
      path={path}
      read={record.data}
      isCopy={isNew}
      isGone={statusOf(record.error) === 404}
    />
  )
}

interface LoadedProps {
  readonly spot: RecordSpot
  readonly path: string
  readonly read: RecordAnswer
  readonly isCopy: boolean
  readonly isGone: boolean
}

/** Keeps the form while it has changes, whatever is read meanwhile. */
function Loaded({ spot, path, read, isCopy, isGone }: LoadedProps) {
  const model = useModel()
  const first = useMemo(() => {
    const draft = draftOf(model, spot.resource, read.row)
    return isCopy ? copyOf(model, draft) : draft
  }, [model, spot.resource, read.row, isCopy])
  return <Editor spot={spot} path={path} first={first} etag={isCopy ? undefined : read.etag} isGone={isGone} />
}

interface EditorProps {
  readonly spot: RecordSpot
  readonly path: string
  readonly first: Draft
  readonly etag: string | undefined
  readonly isGone?: boolean
}

const NO_PROBLEMS: DraftProblems = new Map()

/** A save that takes owned records away: one sees first what goes along. */
interface Removing {
  readonly request: WriteRequest
  readonly places: ReadonlyMap<string, string>
  readonly draft: Draft
}

function Editor({ spot, path, first, etag, isGone = false }: EditorProps) {
  const model = useModel()
  const caller = useCaller()
  const client = useQueryClient()
  const forget = useForget()
  // The record under the changes: it becomes another one only when nothing would be lost.
  const [base, setBase] = useState({ draft: first, etag })
  const [edited, setEdited] = useState<Draft>()
  const [problems, setProblems] = useState(NO_PROBLEMS)
  const [message, setMessage] = useState<ReactNode>()
  const [theirs, setTheirs] = useState<{ readonly draft: Draft; readonly etag: string | undefined }>()
  const [isDeleting, setDeleting] = useState(false)
  const [removing, setRemoving] = useState<Removing>()
  const [isSaving, setSaving] = useState(false)
  const isNew = first.base === undefined
  const resource = model.resources[spot.resource]
  const current = edited ?? (isNew ? base.draft : first)
  const changes = isNew
    ? edited === undefined && !Object.values(first.values).length
      ? 0
      : 1
    : edited === undefined
      ? 0
      : countChanges(model, edited)
  const mayWrite = isNew ? resource?.operations.create === true : resource?.operations.patch === true
  const isReadOnly = !mayWrite || (isGone && edited === undefined)
  const isBehind = edited !== undefined && !isNew && etag !== base.etag

  useEffect(() => {
    if (edited === undefined) setBase({ draft: first, etag })
    // What was typed was taken back: there is nothing to keep.
    else if (isBehind && changes === 0) setEdited(undefined)
  }, [edited, first, etag, isBehind, changes])
  useEffect(() => {
    guardAddress(
      edited !== undefined && changes > 0
        ? () => window.confirm('Leave this page? Your changes are not saved.')
        : undefined,
    )
    return () => guardAddress(undefined)
  }, [edited, changes])
  useShortcut('s', () => void save())

  const finish = (row: Row | undefined, newTag: string | undefined) => {
    setEdited(undefined)
    setProblems(NO_PROBLEMS)
    setMessage(undefined)
    setTheirs(undefined)
    setRemoving(undefined)
    if (row !== undefined) client.setQueryData(recordKey(caller, path), { row, etag: newTag } satisfies RecordAnswer)
    void forget()
  }

  async function save(draft: Draft | undefined = edited, tag: string | undefined = base.etag): Promise<void> {
    if (isSaving) return
    const { body, places } = bodyOf(model, draft ?? current)
    if (body === undefined) return finish(undefined, undefined)
    if (
      JSON.stringify(body, (_, value) => (value instanceof BrokenJson ? '\u0000broken' : value)).includes(
        '\\u0000broken',
      )
    ) {
      setMessage('A value is no JSON yet. Nothing was saved.')
      return
    }
    const headers: Readonly<Record<string, string>> = tag === undefined ? {} : { 'if-match': tag }
    const request = { path, method: 'PATCH', body, headers } as const
    if (!isNew && isRemoving(model, spot.resource, body)) {
      setRemoving({ request, places, draft: draft ?? current })
      return
    }
    setSaving(true)
    try {
      if (isNew) {
        const answer = await ask<Row>(spot.collection, { method: 'POST', body })
        guardAddress(undefined)
        setEdited(undefined)
        await forget()
        const id = answer.location?.split('/').at(-1)
        return go(id === undefined ? pathOfRecord(spot.collection, answer.body.id) : `${spot.collection}/${id}`)
      }
      const answer = await ask<Row>(path, request)
      keepSpot()
      finish(answer.body, answer.etag)
    } catch (error) {
      setEdited(draft ?? current)
      await fail(error, places)
    } finally {
      setSaving(false)
    }
  }

  async function fail(error: unknown, places: ReadonlyMap<string, string>): Promise<void> {
    if (!(error instanceof ServiceError)) {
      setMessage('The service did not answer. Your changes are still here.')
      return
    }
    if (error.status === 412) {
      try {
        const { row, etag: newTag } = await readRecord(path)
        setTheirs({ draft: draftOf(model, spot.resource, row), etag: newTag })
      } catch (failure) {
        setMessage(statusOf(failure) === 404 ? 'It was deleted meanwhile. Your changes are still here.' : error.message)
      }
      return
    }
    const { placed, others } = placeProblems(error.errors, places)
    setProblems(placed)
    focusFirstProblem()
    const count = error.errors.length
    const words =
      count === 0 ? error.message : count === 1 ? 'One value is not right.' : `${count} values are not right.`
    setMessage(
      <>
        {words} Nothing was saved.
        {others.map((other) => (
          <div key={other}>{other}</div>
        ))}
      </>,
    )
  }

  const restore = async (write: string) => {
    if (resource?.operations.restore) await ask(`${path}/$restore`, { method: 'POST' })
    else await undoWrite(path, write)
    await forget()
    go(path)
  }

  const title = isNew
    ? `New ${spot.resource}`
    : titleOf(spot.resource, resource, { ...current.base, ...current.values })
  const editing = useMemo(
    () => ({
      change: (key: string, change: (draft: Draft) => Draft) =>
        setEdited((before) => changeDraft(before ?? base.draft, key, change)),
      problems,
      isReadOnly,
    }),
    [base.draft, problems, isReadOnly],
  )
  return (
    <>
      <div className="head">
        <h1>{title}</h1>
        {!isNew && title !== `${spot.resource} ${spot.id}` && (
          <span className="soft">{`${spot.resource} ${spot.id}`}</span>
        )}
        {!isNew && !isGone && !isBehind && <LiveNote resource={spot.resource} id={spot.id} />}
        <span className="grow" />
        {!isNew && resource?.operations.create && (
          <a
            className="button plain"
            aria-label="Copy"
            href={hrefOf(pathOfRecord(spot.collection, '$new'), new URLSearchParams({ copy: spot.id }).toString())}
          >
            <Glyph name="copy" />
            <span className="wide-only">Copy</span>
          </a>
        )}
        {!isNew && !isGone && resource?.operations.delete && (
          <button type="button" className="button plain danger" aria-label="Delete" onClick={() => setDeleting(true)}>
            <Glyph name="trash" />
            <span className="wide-only">Delete</span>
          </button>
        )}
      </div>
      <div className="notes">
        {isGone && (
          <div className="note warn">
            This record is gone by now: somebody deleted it, or you may no longer see it.{' '}
            {resource?.operations.history && <a href={hrefOf(`${path}${HISTORY}`)}>Its history</a>}
          </div>
        )}
        {message !== undefined && (
          <div className="note bad" role="alert">
            {message}
          </div>
        )}
      </div>
      <div className="record">
        <div>
          <DraftProvider value={editing}>
            <DraftForm draft={current} path={isNew ? undefined : path} />
          </DraftProvider>
        </div>
        <aside className="aside">
          {resource?.description && <p className="soft small">{resource.description}</p>}
          {!isNew && !isGone && <ActionsPart resource={spot.resource} on="record" path={path} etag={etag} />}
          {!isNew && <IncomingPart resource={spot.resource} id={first.id as Id} />}
          {!isNew && resource?.operations.history && (
            <HistoryPart self={{ resource: spot.resource, id: spot.id }} path={path} />
          )}
        </aside>
      </div>
      {changes > 0 && !isReadOnly && (
        <div className="save-bar">
          <span className="soft" aria-live="polite">
            {isNew ? 'Not saved yet' : `${changes} ${changes === 1 ? 'change' : 'changes'}`}
          </span>
          {isBehind && !isGone && (
            <LiveNote
              resource={spot.resource}
              id={spot.id}
              behind={{
                onShow: () => setTheirs({ draft: first, etag }),
                onKeep() {
                  setBase({ draft: first, etag })
                  setEdited((mine) => mine && mergeDrafts(mine, first, new Map()))
                },
              }}
            />
          )}
          <span className="grow" />
          <button
            type="button"
            className="button plain"
            onClick={() => (isNew ? go(spot.collection) : finish(undefined, undefined))}
          >
            Discard
          </button>
          <button type="button" className="button main" disabled={isSaving} onClick={() => void save()}>
            {isNew ? 'Create' : 'Save'}
            <kbd className="wide-only">Ctrl S</kbd>
          </button>
        </div>
      )}
      {isDeleting && first.base !== undefined && (
        <DeleteDialog
          path={path}
          resource={spot.resource}
          row={first.base}
          onClose={() => setDeleting(false)}
          onDone={(effects) => {
            guardAddress(undefined)
            client.removeQueries({ queryKey: recordKey(caller, path) })
            void forget()
            go(spot.collection)
            say({
              text: `${title} is deleted.`,
              ...((resource?.operations.restore || (resource?.operations.undo && effects)) && {
                action: { label: 'Bring it back', act: () => restore(effects?.write ?? '') },
              }),
            })
          }}
        />
      )}
      {removing !== undefined && (
        <EffectsDialog
          title={`Save ${title}?`}
          verb="Save"
          isDanger
          wantsAnswer
          request={removing.request}
          onClose={() => setRemoving(undefined)}
          onDone={(_, { body, etag: newTag }) => finish(body as Row, newTag)}
          onRefused={(error) => {
            if (error.status !== 412 && error.errors.length === 0) return false
            setRemoving(undefined)
            setEdited(removing.draft)
            void fail(error, removing.places)
            return true
          }}
          refusal={({ blockers }) => <Blockers blockers={blockers} resource={spot.resource} ids={[spot.id]} />}
        />
      )}
      {theirs !== undefined && edited !== undefined && (
        <ConflictDialog
          mine={edited}
          theirs={theirs.draft}
          onClose={() => setTheirs(undefined)}
          onTake={() => finish(theirs.draft.base, theirs.etag)}
          onMerge={(merged) => {
            setBase(theirs)
            setTheirs(undefined)
            void save(merged, theirs.etag)
          }}
        />
      )}
    </>
  )
}

/** Who cannot see the red inputs is led to the first one. */
function focusFirstProblem(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.record [aria-invalid="true"]')?.focus())
}

const BONES = Array.from({ length: 9 }, (_, index) => `bone-${index}`)

const RecordBones = () => (
  <div className="record" aria-busy="true">
    <div className="fields bones">
      {BONES.map((key) => (
        <div key={key} className="field">
          <span className="bone label-bone" />
          <span className="bone input-bone" />
        </div>
      ))}
    </div>
  </div>
)
