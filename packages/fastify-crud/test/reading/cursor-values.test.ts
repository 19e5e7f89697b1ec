import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { books } from './support/books.ts'
import { after, rowsOf } from './support/walk.ts'

describeOnBoth('a cursor', (database) => {
  const service = useApp(database, books)
  const get = (path: string) => service.get(path)

  async function expectWalk(path: string): Promise<void> {
    const { rows } = await service.read(`${path}&limit=100`)
    expect(rows.length).toBeGreaterThan(2)
    expect(await rowsOf(get, `${path}&limit=1`)).toEqual(rows)
  }

  test('holds numbers exactly', async () => {
    const publisher = await service.add('/api/publisher', { name: 'Ink' })
    const author = await service.add('/api/author', { name: 'Ada' })
    const prices = [0.3, 0.1 + 0.2, 0.1, 1e-7, 1e21, 123456789.12345679, -0.1, 0, 1 / 3, 9007199254740991, 2e-300, null]
    for (const price of prices) {
      const title = `${price}`
      await service.add('/api/book', { title, price, publisherId: publisher.id, authors: [{ id: author.id }] })
    }
    await expectWalk('/api/book?sort=price')
    await expectWalk('/api/book?sort=-price')
  })

  test('holds points in time to the millisecond, whatever their offsets', async () => {
    const publisher = await service.add('/api/publisher', { name: 'Ink' })
    const author = await service.add('/api/author', { name: 'Ada' })
    const moments = [
      '2026-01-01T12:00:00.123Z',
      '2026-01-01T13:00:00.123+01:00',
      '2026-01-01T12:00:00.124Z',
      '2026-01-01T12:00:00Z',
      '1900-01-01T00:00:00.001Z',
      null,
      '9999-12-31T23:59:59.999Z',
    ]
    for (const soldAt of moments) {
      const title = `${soldAt}`
      await service.add('/api/book', { title, soldAt, publisherId: publisher.id, authors: [{ id: author.id }] })
    }
    await expectWalk('/api/book?sort=soldAt')
    await expectWalk('/api/book?sort=-soldAt')
  })

  test('is short, however long the strings are', async () => {
    for (const letter of ['x', 'é', '😀']) {
      for (const end of ['b', 'a', 'c', 'a', '']) {
        await service.add('/api/word', { text: `${letter.repeat(600)}${end}` })
      }
    }
    for (const sort of ['text', '-text', 'lower(text)']) {
      const { next } = await service.read(`/api/word?sort=${sort}&limit=1`)
      expect(next.length).toBeLessThan(1000)
      await expectWalk(`/api/word?sort=${sort}`)
    }
  })

  test('passes over what is added before it, and shows what is added behind it', async () => {
    for (const text of ['b', 'd', 'f', 'h']) await service.add('/api/word', { text })
    const first = await service.read('/api/word?sort=text&limit=2')
    for (const text of ['a', 'c', 'e', 'z', null]) await service.add('/api/word', { text })
    const rest = await rowsOf(get, after('/api/word?sort=text&limit=100', first.next))
    expect(rest.map(({ text }) => text)).toEqual(['e', 'f', 'h', 'z', null])
  })

  test('leads on from a record that is deleted, and from one that is changed', async () => {
    for (const text of ['b', 'd', 'f', 'h', 'j']) await service.add('/api/word', { text })
    const first = await service.read('/api/word?sort=text&limit=2')
    await service.delete(`/api/word/${first.rows[1].id}`)
    const path = after('/api/word?sort=text&limit=1', first.next)
    const second = await service.read(path)
    expect(second.rows.map(({ text }: { text: string }) => text)).toEqual(['f'])
    await service.patch(`/api/word/${second.rows[0].id}`, { text: 'a' })
    const rest = await rowsOf(get, after('/api/word?sort=text&limit=100', second.next))
    expect(rest.map(({ text }) => text)).toEqual(['h', 'j'])
  })

  test('leads through ties and nulls that come and go', async () => {
    for (const text of ['tie', 'tie', 'tie', null, null, null]) await service.add('/api/word', { text })
    const all = (await service.read('/api/word?sort=text')).rows
    const first = await service.read('/api/word?sort=text&limit=2')
    await service.delete(`/api/word/${all[1].id}`)
    await service.add('/api/word', { text: 'tie' })
    const second = await service.read(after('/api/word?sort=text&limit=3', first.next))
    expect(second.rows.map(({ text }: { text: string | null }) => text)).toEqual(['tie', 'tie', null])
    await service.delete(`/api/word/${all[3].id}`)
    const added = await service.add('/api/word', { text: null })
    const rest = await rowsOf(get, after('/api/word?sort=text&limit=1', second.next))
    expect(rest.map(({ id }) => id)).toEqual([all[4].id, all[5].id, added.id])
  })
})
