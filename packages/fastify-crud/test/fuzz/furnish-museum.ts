import type { FuzzSubject } from './fuzz-service.ts'

/** A few records of every resource of `models/museum.ts`, related in every way. */
export const furnishMuseum: FuzzSubject['furnish'] = async (add, mark) => {
  const named = (route: string, name: string) => (words: string) =>
    add(`/api/${route}`, { [name]: mark(words, route, name) })
  const donor = (name: string) =>
    add('/api/donor', {
      name: mark(name, 'donor', 'name'),
      biography: mark('gave a jar', 'donor', 'biography'),
      phone: mark('55', 'donor', 'phone'),
    })
  const two = async (one: (words: string) => Promise<Record<string, unknown>>) => [await one('Ada'), await one('Bo')]
  const donors = await two(donor)
  const experts = await two(named('expert', 'name'))
  const topics = await two(named('topic', 'word'))
  const rooms = await two(named('room', 'label'))
  const refs = (records: Record<string, unknown>[]) => records.map(({ id }) => ({ id }))
  let twinId: unknown = null
  for (const index of [0, 1, 2, 3]) {
    const expertId = experts[index % 2]?.id
    const item = await add('/api/item', {
      title: mark(`item ${index}`, 'item', 'title'),
      code: `A${index}`,
      story: mark('found', 'item', 'story'),
      safe: mark(`box ${index}`, 'item', 'safe'),
      plan: { way: mark('left', 'item', 'plan') },
      donorId: donors[index % 2]?.id,
      roomId: rooms[index]?.id ?? null,
      twinId,
      experts: refs(experts),
      topics: refs(topics),
      label: { text: mark('Do not touch', 'item', 'label', 'text') },
      parts: ['lid', 'jar'].map((name) => ({
        name: mark(name, 'item', 'parts', 'name'),
        expertId,
        repairs: [
          {
            what: mark('glue', 'item', 'parts', 'repairs', 'what'),
            bill: mark('9', 'item', 'parts', 'repairs', 'bill'),
            expertId,
            topics: refs(topics),
          },
        ],
      })),
    })
    twinId = item.id
    const folder = (name: string) => mark(name, 'folder', 'name')
    await add('/api/folder', {
      name: folder(`folder ${index}`),
      aboutId: item.id,
      folders: [{ name: folder('a'), folders: [{ name: folder('a.a'), aboutId: item.id }] }, { name: folder('b') }],
    })
  }
}
