import { createContext, useEffect } from 'react'

/** Tells the user something that has no place of its own on the page. */
export const sayWith = createContext<(text: string) => void>(() => {})

const READ_IN = 8_000

export function Said({ text, close }: { readonly text: string | undefined; readonly close: () => void }) {
  useEffect(() => {
    if (text === undefined) return undefined
    const timer = setTimeout(close, READ_IN)
    return () => clearTimeout(timer)
  }, [text, close])
  return (
    <div role="status" className={text === undefined ? 'said' : 'said is-shown'}>
      {text}
    </div>
  )
}
