import { type ReactNode, useEffect, useId, useRef } from 'react'
import { createPortal } from 'react-dom'

interface DialogProps {
  readonly title: string
  readonly close: () => void
  readonly children: ReactNode
}

/** In front of the page, until it is answered. The browser keeps the focus in it, and closes it by Escape. */
export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return createPortal(
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>,
    document.body,
  )
}
