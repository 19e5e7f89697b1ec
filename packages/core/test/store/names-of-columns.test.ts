import { createStore, defineResources, field, type Model, needs } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { CamelCasePlugin } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const text = Type.String()

describeOnBoth('the names of columns', (setup) => {
  const isPostgres = setup.name === 'postgres'
  let open: OpenDatabase
  afterEach(() => open.close())

  async function problemsOf(resources: object, plugins: CamelCasePlugin[] = []): Promise<readonly unknown[]> {
    open = await setup.open({ plugins })
    const model = defineResources(resources as never) as unknown as Model
    const refusal = await createTables(open.db, model).catch((error: unknown) => error)
    const problems: unknown[] = refusal instanceof Error ? [refusal.message] : []
    try {
      createStore({ db: open.db, resources: model } as never)
    } catch (error) {
      problems.push((error as Error).message)
    }
    return problems
  }

  test.each(isPostgres ? ['ctid', 'xmin', 'tableoid', 'cmax'] : ['true', 'False'])(
    'cannot be %s, which the database takes for its own',
    async (name) => {
      const message = `book: the database takes the name '${name}' for its own: give the column another one by 'columns'`
      expect(await problemsOf({ book: { fields: { [name]: text } } })).toEqual([message, message])
      await open.close()
      expect(await problemsOf({ book: { fields: { [name]: text }, columns: { [name]: 'other' } } })).toEqual([])
      await open.close()
      const relations = { book: needs.one('other', { foreignKey: 'bookId' }) }
      expect(await problemsOf({ book: { columns: { bookId: name }, relations }, other: {} })).toEqual([
        message,
        message,
      ])
    },
  )

  test('may be those of the other database', async () => {
    const names = isPostgres ? ['true', 'false'] : ['ctid', 'xmin', 'tableoid']
    const fields = Object.fromEntries(names.map((name) => [name, text]))
    expect(await problemsOf({ book: { fields } })).toEqual([])
  })

  test('are refused where two become the same, as PostgreSQL keeps 63 bytes of a name', async () => {
    const long = 'x'.repeat(62)
    const expected = `book: '${long}ä1' and '${long}ä2' are both called '${long}' in the database: PostgreSQL keeps 63 bytes of a name`
    const fields = { [`${long}ä1`]: text, [`${long}ä2`]: field(text, { default: 'x' }) }
    expect(await problemsOf({ book: { fields } })).toEqual(isPostgres ? [expected, expected] : [])
  })

  test('are refused where plugins make two the same', async () => {
    const message = "book: 'oneName' and 'one_name' are both called 'one_name' in the database"
    const fields = { oneName: text, one_name: text }
    expect(await problemsOf({ book: { fields } }, [new CamelCasePlugin()])).toEqual([message, message])
  })
})
