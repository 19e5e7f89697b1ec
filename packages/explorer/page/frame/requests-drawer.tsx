import { useState } from 'react'
import type { ModelDocument } from '../model/model.ts'
import { decoded } from '../model/names.ts'
import { Glyph } from '../parts/glyph.tsx'
import { clientCodeOf, curlOf, httpOf } from '../service/as-code.ts'
import { clearRequests, type SentRequest, useRequests } from '../service/requests.ts'

const FORMS = { HTTP: httpOf, curl: curlOf, JavaScript: clientCodeOf } as const

type Form = keyof typeof FORMS

interface RequestsDrawerProps {
  readonly model: ModelDocument | undefined
  readonly onClose: () => void
}

/** Every request of the page, as one would write it. */
export function RequestsDrawer({ model, onClose }: RequestsDrawerProps) {
  const requests = useRequests()
  const [chosen, choose] = useState<number>()
  const [form, setForm] = useState<Form>('HTTP')
  const current = requests.find(({ number }) => number === chosen) ?? requests[0]
  return (
    <section className="drawer" aria-label="Requests">
      <div className="bar">
        <h2>Requests</h2>
        <div className="tabs" role="tablist" aria-label="Written as">
          {(Object.keys(FORMS) as Form[]).map((one) => (
            <button key={one} type="button" role="tab" aria-selected={one === form} onClick={() => setForm(one)}>
              {one}
            </button>
          ))}
        </div>
        <span className="grow" />
        <button type="button" className="button plain little" onClick={clearRequests}>
          Clear
        </button>
        <button type="button" className="button plain icon little" aria-label="Close" onClick={onClose}>
          <Glyph name="cross" />
        </button>
      </div>
      <div className="list">
        {requests.map((request) => (
          <RequestLine
            key={request.number}
            request={request}
            isChosen={request === current}
            onClick={() => choose(request.number)}
          />
        ))}
        {requests.length === 0 && <p className="soft empty">No requests yet.</p>}
      </div>
      <div className="detail">{current && <RequestDetail request={current} text={FORMS[form](current, model)} />}</div>
    </section>
  )
}

interface RequestLineProps {
  readonly request: SentRequest
  readonly isChosen: boolean
  readonly onClick: () => void
}

function RequestLine({ request, isChosen, onClick }: RequestLineProps) {
  const { method, path, status, milliseconds } = request
  const isBad = status === 0 || (status !== undefined && status >= 400)
  return (
    <button type="button" aria-pressed={isChosen} onClick={onClick}>
      <span className="code">{method}</span>
      <span className="code path">{decoded(path.replaceAll('+', ' '))}</span>
      <span className={`code${isBad ? ' bad-text' : ' soft'}`}>
        {status === undefined ? '…' : status === 0 ? 'none' : status}
      </span>
      <span className="code soft">{milliseconds === undefined ? '' : `${Math.round(milliseconds)} ms`}</span>
    </button>
  )
}

function RequestDetail({ request, text }: { readonly request: SentRequest; readonly text: string }) {
  const [isCopied, setCopied] = useState<string>()
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(text)
  }
  return (
    <>
      <button type="button" className="button little" onClick={() => void copy()}>
        <Glyph name="copy" />
        {isCopied === text ? 'Copied' : 'Copy'}
      </button>
      <pre>{text}</pre>
      {request.answer && <pre className="soft">{pretty(request.answer)}</pre>}
    </>
  )
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
