import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Dialog } from '../parts/popover.tsx'
import { setCaller } from '../service/caller.ts'
import { clearRequests } from '../service/requests.ts'

/** Takes a token. It stays in this page's memory: neither in its address nor in the browser's storage. */
export function SignIn({ onClose }: { readonly onClose: () => void }) {
  const [token, setToken] = useState('')
  const client = useQueryClient()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    client.clear()
    clearRequests()
    setCaller({ authorization: / /.test(token.trim()) ? token.trim() : `Bearer ${token.trim()}` })
    onClose()
  }
  return (
    <Dialog title="Enter a token" onClose={onClose}>
      <form onSubmit={submit}>
        <p className="soft">
          Requests of this page will have it in the header Authorization. A reload forgets it. Where the application
          signs people in by a cookie, sign in there, and reload this page.
        </p>
        <br />
        <label className="field">
          <span className="label">Token, or a whole value such as “Basic …”</span>
          <input
            className="input code"
            type="password"
            autoComplete="off"
            value={token}
            onChange={({ target }) => setToken(target.value)}
          />
        </label>
        <div className="foot">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button main" disabled={token.trim() === ''}>
            Use it
          </button>
        </div>
      </form>
    </Dialog>
  )
}
