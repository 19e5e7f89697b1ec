import type { Furnish } from './fuzz.ts'

/** A few records of every resource of `models/museum.ts`, related in every way. */
export const furnishMuseum: Furnish = async (service) => {
  const donors = [await service.add('/api/donor', { name: 'Ada' }), await service.add('/api/donor', { name: 'Bo' })]
  const experts = [await service.add('/api/expert', { name: 'Eve' }), await service.add('/api/expert', { name: 'Flo' })]
  const topics = [await service.add('/api/topic', { word: 'clay' }), await service.add('/api/topic', { word: 'fire' })]
  const rooms = [await service.add('/api/room', { label: 'North' }), await service.add('/api/room', { label: 'South' })]
  const refs = (records: Record<string, unknown>[]) => records.map(({ id }) => ({ id }))
  let twinId: unknown = null
  for (const index of [0, 1, 2, 3]) {
    const item = await service.add('/api/item', {
      title: `item ${index}`,
      code: `A${index}`,
      donorId: donors[index % 2]?.id,
      roomId: rooms[index]?.id ?? null,
      twinId,
      experts: refs(experts),
      topics: refs(topics),
      label: { text: 'Do not touch' },
      parts: ['lid', 'jar'].map((name) => ({
        name,
        expertId: experts[index % 2]?.id,
        repairs: [{ what: 'glue', expertId: experts[index % 2]?.id, topics: refs(topics) }],
      })),
    })
    twinId = item.id
    await service.add('/api/folder', {
      name: `folder ${index}`,
      aboutId: item.id,
      folders: [{ name: 'a', folders: [{ name: 'a.a', aboutId: item.id }] }, { name: 'b' }],
    })
  }
}
