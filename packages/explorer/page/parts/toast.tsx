import { useSyncExternalStore } from 'react'
import { Glyph } from './glyph.tsx'

/** What was just done, and how to take it back. */
export interface Message {
  readonly text: string
  readonly action?: { readonly label: string; readonly act: () => Promise<void> }
}

const listeners = new Set<() => void>()
let message: Message | undefined

export function say(next: Message | undefined): void {
  message = next
  for (const listener of listeners) listener()
}

/** Stays until it is closed or something else is said: nobody has to be quick. */
export function Toast() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => message,
  )
  const act = async () => {
    try {
      await shown?.action?.act()
      say(undefined)
    } catch (error) {
      say({ text: error instanceof Error ? error.message : String(error) })
    }
  }
  return (
    <div className="toast" role="status">
      {shown && (
        <div className="note row-of">
          <span className="grow">{shown.text}</span>
          {shown.action && (
            <button type="button" className="button little" onClick={() => void act()}>
              <Glyph name="undo" />
              {shown.action.label}
            </button>
          )}
          <button type="button" className="button plain icon little" aria-label="Close" onClick={() => say(undefined)}>
            <Glyph name="cross" />
          </button>
        </div>
      )}
    </div>
  )
}
