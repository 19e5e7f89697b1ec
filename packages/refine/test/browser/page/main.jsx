import { createClient } from '@fastify-crud/client'
import { refineAccess, refineLive, refineProvider } from '@fastify-crud/refine'
import { Refine } from '@refinedev/core'
import { useState, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { BookForm } from './form.jsx'
import { BookTable } from './table.jsx'

// A page over the bookshop with the hooks of Refine and no library of components. `?user=ada` says who one is.

const user = new URLSearchParams(location.search).get('user') ?? 'ben'
const api = createClient({ url: '/api', headers: { 'x-user': user } })
const dataProvider = refineProvider(api)
const accessControlProvider = refineAccess(api)
const liveProvider = refineLive(api)

const hash = {
  subscribe(listener) {
    addEventListener('hashchange', listener)
    return () => removeEventListener('hashchange', listener)
  },
  read: () => location.hash.slice(1) || '/',
}

function App() {
  const [said, setSaid] = useState('')
  const path = useSyncExternalStore(hash.subscribe, hash.read)
  const [, action, id] = path.split('/')
  const notificationProvider = {
    open: ({ message, description }) => setSaid([message, description].join(': ')),
    close() {},
  }
  return (
    <Refine
      dataProvider={dataProvider}
      accessControlProvider={accessControlProvider}
      liveProvider={liveProvider}
      notificationProvider={notificationProvider}
      resources={[{ name: 'book' }, { name: 'publisher' }]}
      options={{
        disableTelemetry: true,
        reactQuery: { clientConfig: { defaultOptions: { queries: { retry: false } } } },
      }}
    >
      <h1>Bookshop</h1>
      {said && <p role="status">{said}</p>}
      {action ? <BookForm key={path} action={action} id={id} /> : <BookTable />}
    </Refine>
  )
}

createRoot(document.getElementById('root')).render(<App />)
