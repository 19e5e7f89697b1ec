import { afterAll, beforeAll, expect, test } from 'vitest'
import { questions } from '../src/start-page/questions.ts'
import { describeInShop } from './describe-in-shop.ts'
import { type OpenShop, openShop } from './open-shop.ts'

// As the application opens them: only then does SQLite compare prices.
describeInShop('the questions of the start page', (database) => {
  let open: OpenShop
  beforeAll(async () => {
    open = await openShop(database, { kept: true })
  })
  afterAll(() => open.close())

  test.each(questions)('"$says" is answered with $status', async ({ path, status }) => {
    const answer = await open.app.inject(path)
    expect(answer.statusCode).toBe(status)
    const { rows, errors } = answer.json()
    if (status === 200) expect(rows).not.toEqual([])
    else expect(errors).toHaveLength(3)
  })

  test('name each parameter that a list has', () => {
    const asked = questions.map(({ path }) => path).join(' ')
    for (const name of ['filter[', 'filter={', 'sort=', 'limit=', 'count=', 'fields=', 'include=', 'nested['])
      expect(asked).toContain(name)
  })

  test('are asked by a script of the service, which finds on the page what it looks for', async () => {
    const page = await open.app.inject('/')
    const [, source = ''] = /<script type="module" src="([^"]+)"/.exec(page.body) ?? []
    const script = await open.app.inject(source)
    expect([script.statusCode, script.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(page.headers['content-security-policy']).toContain("script-src 'self'; connect-src 'self'")
    const names = [...script.body.matchAll(/'([#.])([a-z]+)[ ']/g)]
    expect(names.length).toBeGreaterThan(5)
    for (const [, sign, name] of names) expect(page.body).toContain(`${sign === '#' ? 'id' : 'class'}="${name}"`)
  })
})
