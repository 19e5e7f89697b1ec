import { expect, test } from 'vitest'
import type { TestApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { useShop } from './support/use-shop.ts'

/** A write on a shop; the path is that of an order. */
type Write = (service: TestApp, path: string) => Promise<unknown>

const writes: Readonly<Record<string, Write>> = {
  'a PATCH of plain fields': (service, path) => service.patch(path, { title: 'second' }),
  'a PATCH with children': (service, path) => service.patch(path, { lines: [{ text: 'x', amount: 1 }] }),
  'a POST': (service) => service.post('/api/coupon', { code: 'x' }),
  'a DELETE': (service, path) => service.delete(path),
}

describeOnDatabases('rules of another resource', (database) => {
  const bare = useShop(database, {})
  const ruled = useShop(database, { customer: { validate: () => {}, afterWrite: () => {} } })

  for (const [title, write] of Object.entries(writes)) {
    test(`cost nothing: ${title} sends the same statements as without rules`, async () => {
      const without = await bare.service.statements(() => write(bare.service, bare.path))
      const withRules = await ruled.service.statements(() => write(ruled.service, ruled.path))
      expect(withRules).toEqual(without)
    })
  }

  test('cost reads nothing', async () => {
    const without = await bare.service.statements(() => bare.service.read(bare.path))
    expect(await ruled.service.statements(() => ruled.service.read(ruled.path))).toEqual(without)
  })
})
