import { useEffect, useState } from 'react'
import { useAddress } from './address.ts'
import { following, messageOf } from './api.ts'
import { NoteEditor } from './note-editor.tsx'
import { NoteList } from './note-list.tsx'
import { Said, sayWith } from './said.tsx'
import { Sidebar } from './sidebar.tsx'

export function App() {
  const address = useAddress()
  const [said, say] = useState<string>()
  useEffect(() => {
    following.ended.catch((error) => say(`What others write is not shown: ${messageOf(error)}`))
  }, [])
  return (
    <sayWith.Provider value={say}>
      <div className={address.note === undefined ? 'app' : 'app has-note'}>
        <Sidebar address={address} />
        <NoteList address={address} />
        <main>
          {address.note === undefined ? (
            <p className="empty">Choose a note, or write a new one.</p>
          ) : (
            <NoteEditor key={address.note} id={address.note} address={address} />
          )}
        </main>
        <Said text={said} close={() => say(undefined)} />
      </div>
    </sayWith.Provider>
  )
}
