import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Dialog } from '../parts/popover.tsx'
import { type Answer, ask } from '../service/ask.ts'
import { ServiceError } from '../service/problem.ts'
import { ChangesList } from './changes-list.tsx'
import { type Effects, summaryOf } from './effects.ts'

/** So many problems of a request are listed. */
const MOST_PROBLEMS = 5

export interface WriteRequest {
  readonly path: string
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly query?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

interface EffectsDialogProps {
  readonly title: string
  /** On the button that does it. */
  readonly verb: string
  readonly request: WriteRequest
  readonly isDanger?: boolean
  readonly onClose: () => void
  /** Whether one wants the usual answer at the end, and not what was done. */
  readonly wantsAnswer?: boolean
  /** Effects are undefined if they are too many to be sent, or where the usual answer is wanted. */
  readonly onDone: (effects: Effects | undefined, answer: Answer<unknown>) => void
  /** What is done instead of showing that the service refuses it, such as leading back to a form. True: it is done. */
  readonly onRefused?: (error: ServiceError) => boolean
  /** What stands below the service's words if it refuses. */
  readonly refusal?: (error: ServiceError) => ReactNode
}

/** Shows what a write would do before it is done. The button does exactly this; if it would be something else by now, that is shown first. */
export function EffectsDialog({
  title,
  verb,
  request,
  isDanger = false,
  wantsAnswer = false,
  onClose,
  onDone,
  onRefused,
  refusal,
}: EffectsDialogProps) {
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const [isOther, setOther] = useState(false)
  const { path, method, headers, body, query = '' } = request
  const sent = { method, headers, query, ...(body !== undefined && { body }) }
  const prefers = (...more: readonly string[]) => {
    const prefer = [headers.prefer, ...more].filter(Boolean).join(', ')
    return prefer === '' ? headers : { ...headers, prefer }
  }
  const preview = useQuery({
    queryKey: ['preview', path, sent],
    queryFn: async () => await ask<Effects>(path, { ...sent, headers: prefers('return=effects', 'tx=rollback') }),
    retry: false,
    staleTime: 0,
    gcTime: 0,
  })
  const confirm = async () => {
    setBusy(true)
    setFailure(undefined)
    const tag = preview.data?.effectsTag
    try {
      const answer = await ask<Effects | undefined>(path, {
        ...sent,
        headers: {
          ...prefers(...(wantsAnswer ? [] : ['return=effects'])),
          ...(tag !== undefined && { 'effects-match': tag }),
        },
      })
      onDone(wantsAnswer ? undefined : answer.body, answer)
    } catch (error) {
      setBusy(false)
      setFailure(error)
      if (!(error instanceof ServiceError) || error.status !== 412) return
      setOther(true)
      void preview.refetch()
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal
  useEffect(() => {
    if (preview.error instanceof ServiceError) onRefused?.(preview.error)
  }, [preview.error])
  const error = preview.error ?? (isOther ? undefined : failure)
  const effects = Array.isArray(preview.data?.body?.changes) ? preview.data.body : undefined
  return (
    <Dialog title={title} onClose={onClose}>
      {preview.isPending && (
        <div aria-busy="true">
          <span className="bone label-bone" />
        </div>
      )}
      {isOther && !preview.isFetching && (
        <div className="note warn" role="alert">
          Something has changed meanwhile, and nothing was done. This is what it would do now.
        </div>
      )}
      {effects !== undefined && <EffectsList effects={effects} />}
      {error instanceof ServiceError && (
        <div className="note bad" role="alert">
          {error.message}
          {[...new Set(error.errors.map(({ message }) => message))].slice(0, MOST_PROBLEMS).map((message) => (
            <div key={message}>{message}</div>
          ))}
          {refusal?.(error)}
        </div>
      )}
      {error !== undefined && error !== null && !(error instanceof ServiceError) && (
        <div className="note bad" role="alert">
          The service did not answer.{' '}
          {failure === undefined ? 'Nothing was done.' : 'Whether it was done is not known.'}
        </div>
      )}
      <div className="foot">
        <button type="button" className="button" onClick={onClose}>
          {preview.error ? 'Close' : 'Cancel'}
        </button>
        {!preview.error && (
          <button
            type="button"
            className={`button main${isDanger ? ' danger' : ''}`}
            disabled={isBusy || preview.isFetching}
            onClick={() => void confirm()}
          >
            {verb}
          </button>
        )}
      </div>
    </Dialog>
  )
}

function EffectsList({ effects }: { readonly effects: Effects }) {
  return (
    <>
      <p role="status">{summaryOf(effects).join(', ') || 'It changes nothing.'}</p>
      <ChangesList changes={effects.changes} className="effects" />
    </>
  )
}
