import { nameOfCaller } from '../history/history.ts'
import { markOf, useMarks } from '../live/marks.ts'

interface LiveNoteProps {
  readonly resource: string
  readonly id: string
  /** Of a form with changes: what others have saved meanwhile, and the way on. */
  readonly behind?: { readonly onShow: () => void; readonly onKeep: () => void }
}

/** Says quietly who has changed the record that is shown, and where it moves nothing. */
export function LiveNote({ resource, id, behind }: LiveNoteProps) {
  const mark = markOf(useMarks(), resource, id)
  const names = mark && mark.names.length > 0 ? `: ${mark.names.join(', ')}` : ''
  const who = nameOfCaller(mark?.by)
  if (behind === undefined) {
    return (
      <span className="soft small live-note" role="status">
        {mark?.state === 'changed' && `${who} has just changed it${names}`}
      </span>
    )
  }
  return (
    <>
      <span className="amber-text" role="status">
        {who} has changed this record meanwhile{names}
      </span>
      <button type="button" className="button little" onClick={behind.onShow}>
        Show
      </button>
      <button type="button" className="button little" onClick={behind.onKeep}>
        Keep mine
      </button>
    </>
  )
}
