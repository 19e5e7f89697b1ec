import { beforeEach } from 'vitest'
import type { TestApp } from '../../../../test/support/app.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

/** Records of `models/museum.ts`: two items and two trees of folders, so that each has what the other must not touch. */
export interface Exhibits {
  readonly donor: JsonBody
  readonly expert: JsonBody
  readonly topic: JsonBody
  readonly room: JsonBody
  readonly mine: JsonBody
  readonly other: JsonBody
  readonly folder: JsonBody
  readonly otherFolder: JsonBody
}

/** The records, anew for each test. They are there only while tests run. */
export function useExhibits(service: TestApp): Exhibits {
  const exhibits: Record<string, JsonBody> = {}
  beforeEach(async () => Object.assign(exhibits, await addExhibits(service)))
  return exhibits as unknown as Exhibits
}

async function addExhibits(service: TestApp): Promise<Exhibits> {
  const donor = await service.add('/api/donor', { name: 'Ada' })
  const expert = await service.add('/api/expert', { name: 'Eve' })
  const topic = await service.add('/api/topic', { word: 'clay' })
  const room = await service.add('/api/room', { label: 'North' })
  const item = (title: string, code: string) => ({
    title,
    code,
    donorId: donor.id,
    experts: [{ id: expert.id }],
    topics: [{ id: topic.id }],
    label: { text: 'Do not touch' },
    parts: [
      { name: 'lid', repairs: [{ what: 'glue', expertId: expert.id, topics: [{ id: topic.id }] }] },
      { name: 'jar', repairs: [{ what: 'wax', expertId: expert.id }] },
    ],
  })
  const mine = await service.add('/api/item', item('Jar', 'A1'))
  const other = await service.add('/api/item', item('Pot', 'B2'))
  const folder = await service.add('/api/folder', tree('mine'))
  const otherFolder = await service.add('/api/folder', tree('other'))
  return { donor, expert, topic, room, mine, other, folder, otherFolder }
}

function tree(name: string): object {
  return { name, folders: [{ name: `${name} 1`, folders: [{ name: `${name} 1.1` }] }, { name: `${name} 2` }] }
}

/** What is needed to create an item, and a repair below one of its parts. */
export function bodiesOf({ donor, expert }: Exhibits) {
  return {
    item: { title: 'Cup', donorId: donor.id, experts: [{ id: expert.id }] },
    repair: { what: 'wash', expertId: expert.id },
  }
}
