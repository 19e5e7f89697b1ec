import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'
import { useOffices } from './support/use-offices.ts'

const unknown = 'CRUD_ERR_UNKNOWN_REFERENCE'

describeOnBoth('a reference to a row outside of View', (database) => {
  const { service, rows, ada } = useOffices(database)
  let path: string
  beforeEach(() => {
    path = `/api/invoice/${rows.invoice.ours.id}`
  })

  /** The invoice as it is stored. */
  const stored = () => rows.all.invoice.find(rows.invoice.ours.id)

  test('may be sent back as it was shown, and nothing is written', async () => {
    const before = await service.snapshot()
    const shown = await ada.read(path)
    const statements = await service.statements(async () => {
      expect(await ada.put(path, shown)).toMatchObject({ status: 200, body: shown })
      expect(await ada.patch(path, shown)).toMatchObject({ status: 200, body: shown })
      expect(await ada.patch(path, { projectId: shown.projectId })).toMatchObject({ status: 200, body: shown })
    })
    expect(updatesIn(statements)).toEqual([])
    expect(await service.snapshot()).toEqual(before)
  })

  test('stays where the request changes something else', async () => {
    const shown = await ada.read(path)
    expect((await ada.put(path, { ...shown, number: 'changed' })).body).toEqual({ ...shown, number: 'changed' })
    expect(await stored()).toEqual({ ...rows.invoice.ours, number: 'changed' })
  })

  test('stays in a child, too, and in what a record needs', async () => {
    const [line] = rows.invoice.hidden.lines
    const claim = await rows.all.claim.create({ text: 'c', orgId: 1, lineId: line?.id ?? 0 })
    const shown = await ada.read(`/api/claim/${claim.id}`)
    expect(shown.line).toBeNull()
    expect((await ada.put(`/api/claim/${claim.id}`, { ...shown, text: 'd' })).status).toBe(200)
    expect((await ada.patch(`/api/claim/${claim.id}`, { ...shown, text: 'e' })).status).toBe(200)
    expect(await rows.all.claim.find(claim.id)).toEqual({ ...claim, text: 'e' })
  })

  test('may be cleared, and then not be set again', async () => {
    const { projectId } = rows.invoice.ours
    expect((await ada.patch(path, { projectId: null })).body).toMatchObject({ projectId: null, project: null })
    await ada.refuse('PATCH', path, { projectId }, { code: unknown, pointers: ['/projectId'] })
  })

  test('may not be exchanged for another one outside of View', async () => {
    const other = await rows.all.project.create({ name: 'zebra', orgId: 2 })
    await ada.refuse('PATCH', path, { projectId: other.id }, { code: unknown, pointers: ['/projectId'] })
    const shown = await ada.read(path)
    await ada.refuse('PUT', path, { ...shown, projectId: other.id }, { code: unknown, pointers: ['/projectId'] })
  })

  test('may not be sent to another record', async () => {
    const { projectId } = rows.invoice.ours
    const second = `/api/invoice/${rows.invoice.second.id}`
    await ada.refuse('PATCH', second, { projectId }, { code: unknown, pointers: ['/projectId'] })
  })
})
