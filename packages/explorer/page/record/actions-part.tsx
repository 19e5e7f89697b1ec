import { useState } from 'react'
import { EffectsDialog } from '../effects/effects-dialog.tsx'
import { undoOf } from '../history/undo-write.ts'
import type { ActionKind, Field, Row } from '../model/model.ts'
import { FieldInput } from '../parts/field-input.tsx'
import { Dialog } from '../parts/popover.tsx'
import { say } from '../parts/toast.tsx'
import { ask } from '../service/ask.ts'
import { ServiceError } from '../service/problem.ts'
import { useForget, useModel, useResource } from '../service/use-model.tsx'

interface ActionsPartProps {
  readonly resource: string
  readonly on: 'record' | 'list'
  /** Of the record, or of the collection. */
  readonly path: string
  readonly etag?: string | undefined
}

/** The verbs of the application, as buttons. */
export function ActionsPart({ resource, on, path, etag }: ActionsPartProps) {
  const described = useResource(resource)
  const [chosen, choose] = useState<string>()
  const actions = Object.entries(described?.actions ?? {}).filter(([, action]) => action.on === on && action.offered)
  const action = actions.find(([name]) => name === chosen)?.[1]
  if (actions.length === 0) return null
  return (
    <section className="row-of" aria-label="Actions">
      {actions.map(([name]) => (
        <button key={name} type="button" className="button" onClick={() => choose(name)}>
          {name}
        </button>
      ))}
      {chosen !== undefined && action !== undefined && (
        <ActionDialog
          name={chosen}
          action={action}
          path={`${path}/$act/${chosen}`}
          etag={etag}
          onClose={() => choose(undefined)}
        />
      )}
    </section>
  )
}

interface ActionDialogProps {
  readonly name: string
  readonly action: ActionKind
  readonly path: string
  readonly etag: string | undefined
  readonly onClose: () => void
}

/** A form of what the action takes, of its body or of its query. One that writes shows first what it does. */
function ActionDialog({ name, action, path, etag, onClose }: ActionDialogProps) {
  const model = useModel()
  const forget = useForget()
  const isRead = action.method === 'GET'
  const schema = (isRead ? action.query : action.body?.schema) ?? {}
  const fields = fieldsOf(schema)
  const hasForm = isRead || Object.keys(fields).length > 0
  const [values, setValues] = useState<Row>({})
  const [error, setError] = useState<ServiceError>()
  const [answer, setAnswer] = useState<unknown>()
  const [isAsking, setAsking] = useState(!hasForm)
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  const problemsOf = (field: string): string[] =>
    (error?.errors ?? [])
      .filter(({ pointer, parameter }) => pointer?.split('/')[1] === field || parameter === field)
      .map(({ message }) => message)
  const read = async () => {
    setError(undefined)
    const query = new URLSearchParams(Object.entries(given).map(([key, value]) => [key, String(value)])).toString()
    try {
      setAnswer((await ask(path, { query })).body ?? null)
    } catch (failure) {
      setError(
        failure instanceof ServiceError ? failure : new ServiceError(0, { detail: 'The service did not answer.' }),
      )
    }
  }
  if (isAsking) {
    return (
      <EffectsDialog
        title={`${name}?`}
        verb={name}
        request={{
          path,
          method: 'POST',
          headers: etag === undefined ? {} : { 'if-match': etag },
          ...(action.body && { body: given }),
        }}
        wantsAnswer={action.answer !== undefined}
        onClose={() => (hasForm ? setAsking(false) : onClose())}
        onDone={(effects, { body }) => {
          void forget()
          setAsking(false)
          if (action.answer !== undefined) return setAnswer(body ?? null)
          const act = undoOf(model, effects)
          say({
            text: `${name}: done.`,
            ...(act && { action: { label: 'Undo', act: () => act().then(forget) } }),
          })
          onClose()
        }}
        onRefused={(refused) => {
          if (!hasForm || refused.errors.length === 0) return false
          setError(refused)
          setAsking(false)
          return true
        }}
      />
    )
  }
  return (
    <Dialog title={name} onClose={onClose}>
      {(isRead || answer === undefined) && (
        <div className="fields">
          {Object.entries(fields).map(([key, field]) => (
            <FieldInput
              key={key}
              name={key}
              field={field}
              isNew
              value={values[key]}
              problems={problemsOf(key)}
              onChange={(value) => setValues({ ...values, [key]: value })}
            />
          ))}
        </div>
      )}
      {error !== undefined && (
        <div className="note bad" role="alert">
          {error.message}
        </div>
      )}
      {answer !== undefined && <pre className="note code">{JSON.stringify(answer, null, 2)}</pre>}
      <div className="foot">
        <button type="button" className="button" onClick={onClose}>
          {answer === undefined ? 'Cancel' : 'Close'}
        </button>
        {(isRead || answer === undefined) && (
          <button
            type="button"
            className="button main"
            onClick={() => {
              setError(undefined)
              if (isRead) void read()
              else setAsking(true)
            }}
          >
            {isRead ? name : 'See what it does'}
          </button>
        )}
      </div>
    </Dialog>
  )
}

function fieldsOf({
  properties = {},
  required = [],
}: NonNullable<ActionKind['query']>): Readonly<Record<string, Field>> {
  const fields = Object.entries(properties).map(([name, schema]): [string, Field] => [
    name,
    {
      schema,
      ...(required.includes(name) && { required: true as const }),
      ...(schema.default !== undefined && { default: schema.default }),
    },
  ])
  return Object.fromEntries(fields)
}
