import { shortText } from '../model/value-text.ts'
import { useModel } from '../service/use-model.tsx'
import { type Change, type ChangeWords, type RecordName, wordsOfChange } from './effects.ts'

/** So many changes are shown one by one. */
const SHOWN = 100
/** Longer values are cut. */
const LONGEST = 160
const LONGEST_TITLE = 2_000

interface ChangesListProps {
  readonly changes: readonly Change[]
  /** The record that the page is about. */
  readonly self?: RecordName
  readonly className?: string
}

/** What a write does or has done, one line for each record. */
export function ChangesList({ changes, self, className = 'changes' }: ChangesListProps) {
  const model = useModel()
  return (
    <>
      <ul className={className}>
        {changes.slice(0, SHOWN).map((change, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a change has no name of its own, and the list never changes
          <li key={index} className={`small ${change.action.toLowerCase()}`}>
            <ChangeLine words={wordsOfChange(model, change, self)} />
          </li>
        ))}
      </ul>
      {changes.length > SHOWN && <p className="soft small">and {changes.length - SHOWN} more</p>}
    </>
  )
}

const ChangeLine = ({ words: { what, differences, why } }: { readonly words: ChangeWords }) => (
  <>
    {what}
    {what !== undefined && differences.length > 0 && ': '}
    {differences.map(({ name, before, after }, index) => (
      <span key={name}>
        {index > 0 && ', '}
        <span className="soft">{name}</span>{' '}
        <del title={shortText(before, LONGEST_TITLE)}>{shortText(before, LONGEST)}</del>
        {' → '}
        <ins title={shortText(after, LONGEST_TITLE)}>{shortText(after, LONGEST)}</ins>
      </span>
    ))}
    {why !== undefined && <span className="soft"> · {why}</span>}
  </>
)
