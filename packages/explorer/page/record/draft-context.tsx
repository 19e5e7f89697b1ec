import { createContext, useContext } from 'react'
import type { DraftProblems } from '../draft/body.ts'
import type { Draft } from '../draft/draft.ts'

/** What the parts of a form share, at any depth of the record. */
export interface DraftEditing {
  /** Changes one draft of the tree. */
  change(key: string, change: (draft: Draft) => Draft): void
  readonly problems: DraftProblems
  readonly isReadOnly: boolean
}

const DraftContext = createContext<DraftEditing | undefined>(undefined)

export const DraftProvider = DraftContext.Provider

export function useDraftEditing(): DraftEditing {
  const editing = useContext(DraftContext)
  if (editing === undefined) throw new Error('there is no form around this part')
  return editing
}
