import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { anyId, missingId } from '../../../../test/support/test-ids.ts'

const articles = defineResources({
  article: {
    columns: { boss: 'boss_no' },
    fields: { title: Type.String() },
    relations: {
      publisher: needs.one('publisher', { foreignKey: 'publishedBy' }),
      editor: knows.one('publisher', { foreignKey: 'boss' }),
      notes: owns.many('note'),
    },
  },
  note: { fields: { text: Type.String() }, relations: { article: ownedBy('article', { foreignKey: 'of' }) } },
  publisher: { fields: { name: Type.String() } },
})

describeOnBoth('`foreignKey`', (database) => {
  const service = useApp(database, articles)

  test('is the name in bodies and records', async () => {
    const { id, name } = await service.add('/api/publisher', { name: 'p' })
    const article = await service.add('/api/article', { title: 't', publishedBy: id, boss: id, notes: [{ text: 'n' }] })
    expect(article).toEqual({
      id: article.id,
      title: 't',
      publishedBy: id,
      publisher: { id, name },
      boss: id,
      editor: { id, name },
      notes: [{ id: anyId, text: 'n' }],
    })
    const path = `/api/article/${article.id}`
    expect((await service.patch(path, { boss: null })).body).toEqual({ ...article, boss: null, editor: null })
    await service.refuse(
      'POST',
      '/api/article',
      { title: 't' },
      { code: 'CRUD_ERR_INVALID', pointers: ['/publishedBy'] },
    )
    await service.refuse(
      'PATCH',
      path,
      { publishedBy: missingId('publisher') },
      {
        code: 'CRUD_ERR_UNKNOWN_REFERENCE',
        pointers: ['/publishedBy'],
      },
    )
    await service.refuse('PATCH', path, { publisherId: id }, { code: 'CRUD_ERR_INVALID', pointers: ['/publisherId'] })
  })

  test('and in the table, but for `columns`', async () => {
    expect(await service.db.selectFrom('article').select(['publishedBy', 'boss_no']).execute()).toEqual([])
    expect(await service.db.selectFrom('note').select('of').execute()).toEqual([])
  })
})
