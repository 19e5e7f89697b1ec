import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { tableNames } from '../../../../test/support/tables.ts'
import { museum } from '../contract/models/museum.ts'
import { bodiesOf, useExhibits } from './exhibits.ts'
import { type Attempt, refuseAll } from './refuse-all.ts'

/** A word that no statement may have, in all that could end a string, a name or a statement. */
const WORD = 'inj3cted'
const attacks = [
  `'; drop table zq_items; -- ${WORD}`,
  `" ; drop table zq_items ; -- ${WORD}`,
  `\\'; drop table zq_items; -- ${WORD}`,
  `1 or 1=1 /* ${WORD} */`,
  `') union select 1, '${WORD}' --`,
  `$1 ${WORD}`,
  `?1 :a @a ${WORD}`,
  `$$ ${WORD} $$`,
  `]; ${WORD} [`,
  `\`${WORD}\``,
  `%_\\ ${WORD}`,
  `{"$ne":"${WORD}"}`,
  `$.${WORD}[0]`,
  `E'\\x27' ${WORD}`,
  `\u02bc ${WORD} \uff07`,
  `\r\n${WORD}\u001a\b`,
  `\${${WORD}} {{${WORD}}} #{${WORD}}`,
]

describeOnDatabases('a piece of SQL', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  /** What the database is asked for: with `direct`, the log shows parameters in their places. */
  async function expectNoWord(run: () => Promise<unknown>): Promise<void> {
    const statements = await service.statements(run)
    if (!database.isDirect) expect(statements.filter((statement) => statement.includes(WORD))).toEqual([])
  }

  test('is text like any other in every value and in every key of a JSON field', async () => {
    for (const attack of attacks) {
      const { item, repair } = bodiesOf(exhibits)
      const body = {
        ...item,
        title: attack,
        size: { unit: attack },
        counts: { [attack]: [1] },
        extra: { [attack]: [attack, { [attack]: attack }] },
        label: { text: attack },
        parts: [{ name: attack, note: attack, repairs: [{ ...repair, what: attack }] }],
      }
      const tables = await tableNames(database.name, service.db)
      await expectNoWord(async () => {
        const record = await service.add('/api/item', body)
        expect(record).toMatchObject(body)
        const path = `/api/item/${record.id}`
        expect(await service.read(path)).toEqual(record)
        expect((await service.put(path, record)).body).toEqual(record)
        const [part] = record.parts
        const changed = { title: `${attack}2`, extra: attack, parts: [{ id: part.id, name: `${attack}2` }] }
        expect((await service.patch(path, changed)).body).toMatchObject({ title: `${attack}2`, extra: attack })
        const twin = { name: `${attack}2` }
        await service.refuse('POST', `${path}/part`, twin, { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/name'] })
        expect((await service.delete(`${path}/part/${part.id}`)).status).toBe(204)
      })
      expect(await tableNames(database.name, service.db)).toEqual(tables)
    }
  })

  test('is refused as a name, an id and a query, and reaches no statement', async () => {
    for (const attack of attacks) {
      const { item } = bodiesOf(exhibits)
      const path = `/api/item/${exhibits.mine.id}`
      const inPath = encodeURIComponent(attack)
      const bodies = [
        { [attack]: 1 },
        { parts: [{ name: 'x', [attack]: 1 }] },
        { experts: [{ id: attack }] },
        { parts: [{ id: attack, name: 'x' }] },
        { label: { id: attack, text: 'x' } },
        { donorId: attack },
        { donor: { [attack]: 1 } },
        { state: attack },
        { code: attack },
        { foundOn: attack },
        { seenAt: attack },
        { worth: attack },
        { size: { unit: 'cm', high: attack } },
        { id: attack },
      ]
      const urls = [
        ...[`/api/item/${inPath}`, `/api/item/${inPath}/part`, `${path}/part/${inPath}`],
        ...[`${inPath}=1`, `limit=${inPath}`, `offset=${inPath}`].map((query) => `/api/item?${query}`),
        ...[`${inPath}=1`, `limit=1${inPath}`].map((query) => `${path}/part?${query}`),
      ]
      await expectNoWord(async () => {
        await refuseAll(service, { code: 'CRUD_ERR_INVALID' }, [
          ...bodies.map((body): Attempt => ['POST', '/api/item', { ...item, ...body }]),
          ...bodies.map((body): Attempt => ['PATCH', path, body]),
          ['PUT', '/api/item', { ...item, id: attack }],
          ...urls.map((url): Attempt => ['GET', url]),
          ['DELETE', `${path}?${inPath}`],
          ['DELETE', `/api/item/${inPath}`],
        ])
        await refuseAll(service, { code: 'CRUD_ERR_NOT_FOUND' }, [['GET', `/api/${inPath}`]])
      })
    }
  })
})
