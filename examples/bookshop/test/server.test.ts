import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../test/support/databases.ts'
import { describeInShop } from './describe-in-shop.ts'
import { runServer, runToItsEnd } from './run-server.ts'

describeInShop('the server of the bookshop', (database) => {
  let open: OpenDatabase
  let databaseUrl: string
  beforeAll(async () => {
    open = await database.open()
    databaseUrl = database.name === 'sqlite' ? pathToFileURL(open.location).href : open.location
  })
  afterAll(() => open.close())

  test('seeds an empty database, ends when it is told to, and finds its records again', async () => {
    const first = await runServer(databaseUrl)
    const books = await (await fetch(`${first.origin}/api/book`)).json()
    expect(books).toMatchObject({ count: 32 })
    const added = await fetch(`${first.origin}/api/tag`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user': 'ada' },
      body: JSON.stringify({ label: 'survives a restart' }),
    })
    expect(added.status).toBe(201)
    expect(await first.stop()).toBe(0)

    const second = await runServer(databaseUrl)
    const { port } = new URL(second.origin)
    try {
      expect(await (await fetch(`${second.origin}/api/book`)).json()).toEqual(books)
      expect(await (await fetch(second.origin + added.headers.get('location'))).json()).toEqual(await added.json())
      const third = await runToItsEnd({ DATABASE_URL: databaseUrl, PORT: port })
      expect(third.code).toBe(1)
      expect(third.output).toBe(
        `Port ${port} is taken. Choose another one with the variable PORT, e.g. PORT=${Number(port) + 1}.\n`,
      )
    } finally {
      expect(await second.stop()).toBe(0)
    }
  })
})

test('says what is wrong with DATABASE_URL', async () => {
  const elsewhere = await runToItsEnd({ DATABASE_URL: 'mysql://root@localhost/shop' })
  expect(elsewhere.code).toBe(1)
  expect(elsewhere.output).toContain('DATABASE_URL is neither')
  const silent = await runToItsEnd({ DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/shop' })
  expect(silent).toEqual({
    code: 1,
    output: 'No PostgreSQL answers where DATABASE_URL says (ECONNREFUSED).\n',
  })
})
