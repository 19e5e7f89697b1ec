import type { FuzzSubject } from './fuzz-service.ts'

/** Longer than what a cursor holds of a text. */
const LONG = 'ü'.repeat(300)

/** The same few records of `archive.ts` for both organisations, and what they share. */
export const furnishArchive: FuzzSubject['furnish'] = async (add, mark) => {
  for (const org of ['north', 'south']) {
    const by = `${org}ern`
    const places: unknown[] = []
    for (const name of ['Hall', 'Cellar'])
      places.push((await add('/api/place', { name: mark(name, 'place', 'name'), org }, by)).id)
    const persons: unknown[] = []
    const topics: unknown[] = []
    for (const index of [0, 1, 2]) {
      const seenBy = index === 2 ? 'shared' : org
      const words = index === 1 ? LONG : 'Ada'
      persons.push((await add('/api/person', { name: mark(words, 'person', 'name'), org: seenBy }, by)).id)
      topics.push((await add('/api/topic', { word: mark(words, 'topic', 'word'), org }, by)).id)
    }
    const refs = (ids: readonly unknown[]) => ids.map((id) => ({ id }))
    let twinId: unknown = null
    for (const index of [0, 1, 2]) {
      const note = () => ({ text: mark('old', 'piece', 'notes', 'text'), org })
      const piece = await add(
        '/api/piece',
        {
          title: mark(index === 1 ? LONG : 'jar', 'piece', 'title'),
          org,
          code: `A${index}`,
          worth: mark('9', 'piece', 'worth'),
          placeId: places[index % 2],
          twinId,
          persons: refs(persons.slice(index % 2)),
          topics: refs(topics),
          cover: { text: mark('blue', 'piece', 'cover', 'text'), topicId: topics[0] },
          notes: [note(), note()],
          loans: ['open', 'secret'].map((state) => ({
            to: mark('Bo', 'piece', 'loans', 'to'),
            state,
            personId: persons[0],
            stamps: [{ text: mark('ok', 'piece', 'loans', 'stamps', 'text'), topics: refs(topics) }],
          })),
        },
        by,
      )
      twinId = piece.id
      const folder = () => ({ name: mark('box', 'folder', 'name'), org })
      await add(
        '/api/folder',
        { ...folder(), aboutId: piece.id, folders: [{ ...folder(), folders: [folder()] }, folder()] },
        by,
      )
    }
  }
}
