import type { ReactNode } from 'react'
import { ServiceError } from '../service/problem.ts'
import { Glyph, type GlyphName } from './glyph.tsx'

interface NothingProps {
  readonly glyph: GlyphName
  readonly title: string
  readonly children?: ReactNode
  readonly buttons?: ReactNode
}

/** A page, or a part of one, with nothing to show: why, and what one can do. */
export const Nothing = ({ glyph, title, children, buttons }: NothingProps) => (
  <div className="nothing">
    <Glyph name={glyph} />
    <h2>{title}</h2>
    {children && <div className="soft">{children}</div>}
    {buttons && <div className="row-of">{buttons}</div>}
  </div>
)

interface FailureProps {
  readonly error: unknown
  readonly what: string
  readonly again: () => void
  readonly signIn: () => void
  readonly back?: ReactNode
}

/** Why something could not be read, in the words of its status. */
export function Failure({ error, what, again, signIn, back }: FailureProps) {
  const askAgain = (
    <button type="button" className="button" onClick={again}>
      Ask again
    </button>
  )
  if (!(error instanceof ServiceError)) {
    return (
      <Nothing glyph="warn" title="The service did not answer" buttons={askAgain}>
        It may be starting, or the network is gone.
      </Nothing>
    )
  }
  const { status, message } = error
  const buttons = (
    <>
      {back}
      <button type="button" className="button" onClick={signIn}>
        Sign in…
      </button>
    </>
  )
  if (status === 401 || status === 403) {
    return (
      <Nothing
        glyph="lock"
        title={status === 401 ? 'The service asks who you are' : `${what} is not for you`}
        buttons={buttons}
      >
        {message}
      </Nothing>
    )
  }
  if (status === 404 || status === 410) {
    return (
      <Nothing glyph="trash" title={`${what} is not here`} buttons={back}>
        It was deleted, or it never was, or you may not see it.
      </Nothing>
    )
  }
  return (
    <Nothing glyph="warn" title={`The service answers ${status}`} buttons={status >= 500 ? askAgain : back}>
      {message}
    </Nothing>
  )
}
