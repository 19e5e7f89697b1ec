/** `read-in-process.ts <file>`: has a thread read a list, and leaves the database open. */
import { openNotes, RARE } from './busy-notes.ts'

const { notes } = openNotes(process.argv[2] ?? '')
const { rows } = await notes.list(RARE)
process.send?.(rows.length)
process.disconnect()
