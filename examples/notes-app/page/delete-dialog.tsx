import { EffectsChangedError, type Preview } from '@fastify-crud/client'
import { useContext, useEffect, useState } from 'react'
import { messageOf, queryClient } from './api.ts'
import { Dialog } from './dialog.tsx'
import { sayWith } from './said.tsx'

interface DeleteDialogProps {
  readonly title: string
  readonly preview: () => Promise<Preview<void>>
  readonly close: (isDone: boolean) => void
}

/** Says what goes with a record before it goes, and does exactly that. */
export function DeleteDialog({ title, preview: read, close }: DeleteDialogProps) {
  const say = useContext(sayWith)
  const [preview, setPreview] = useState<Preview<void>>()
  const [isOther, setIsOther] = useState(false)
  // It is asked once, when the dialog opens.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions are others at each render
  useEffect(() => {
    read().then(setPreview, (error) => {
      say(messageOf(error))
      close(false)
    })
  }, [])
  const confirm = async () => {
    try {
      await preview?.confirm()
      close(true)
      await queryClient.invalidateQueries()
    } catch (error) {
      if (error instanceof EffectsChangedError) {
        setPreview(error.effects as Preview<void>)
        setIsOther(true)
      } else {
        say(messageOf(error))
        close(false)
      }
    }
  }
  return (
    <Dialog title={title} close={() => close(false)}>
      {isOther && <p role="alert">Somebody has changed something meanwhile. By now, this goes:</p>}
      <ul className="effects">{preview && inWords(preview).map((line) => <li key={line}>{line}</li>)}</ul>
      <footer>
        <button type="button" onClick={() => close(false)}>
          Keep it
        </button>
        <button type="button" className="danger" disabled={preview === undefined} onClick={() => void confirm()}>
          Delete
        </button>
      </footer>
    </Dialog>
  )
}

const MOST_TITLES = 4

function inWords({ changes }: Preview<void>): readonly string[] {
  const gone = (resource: string) =>
    changes.flatMap((change) => (change.action === 'Delete' && change.resource === resource ? [change] : []))
  const notes = gone('note')
  const titles = notes.slice(0, MOST_TITLES).map(({ before }) => `“${before?.title}”`)
  const rest = notes.length - titles.length
  const named = rest > 0 ? [...titles, `${rest} more`] : titles
  return [
    ...gone('notebook').map(({ before }) => `The notebook “${before?.name}” goes.`),
    ...(notes.length === 0
      ? []
      : [`${notes.length === 1 ? 'One note goes' : `${notes.length} notes go`}: ${named.join(', ')}.`]),
    'The history keeps what was in them.',
  ]
}
