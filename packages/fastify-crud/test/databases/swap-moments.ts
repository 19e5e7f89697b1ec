import { expect } from 'vitest'
import type { TestApp } from '../../../../test/support/app.ts'

/** Has one PUT of an event swap the unique moments of its parts. */
export async function expectSwap(service: TestApp): Promise<void> {
  const times = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
  const event = await service.add('/api/event', { at: times[0], parts: times.map((at) => ({ at })) })
  const [first, second] = event.parts
  const parts = [
    { ...first, at: second.at },
    { ...second, at: first.at },
  ]
  const { status, body } = await service.put(`/api/event/${event.id}`, { ...event, parts })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.parts).toEqual(parts)
}
