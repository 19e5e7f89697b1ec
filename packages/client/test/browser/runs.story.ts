import { defineResources, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { launch } from '../../../explorer/test/browser/open-page.ts'
import { useService } from '../use-service.ts'
import { bundleClient, ServedPage } from './serve-page.ts'

const resources = defineResources({
  list: {
    fields: { title: Type.String({ minLength: 1 }) },
    relations: { items: owns.many('item') },
    history: true,
  },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
})

/** Everything once, with the client as `client` and the address of the service as `url`. */
const PROGRAM = `
async function useAll() {
  const { createClient, changes, ConflictError, ServiceError } = client
  const api = createClient({ url })
  const told = []
  const following = (async () => {
    for await (const { operation, resource } of changes(api, { after: 0 })) {
      told.push(operation + ' ' + resource)
      if (told.length === 3) return
    }
  })()
  const list = await api.list.create({ title: 'Saturday', items: [{ text: 'flour' }] })
  const changed = await api.list.patch(list, { title: 'Sunday' })
  const conflict = await api.list.patch(list, { title: 'Monday' }).catch((error) => error)
  const refusal = await api.list.create({ title: '' }).catch((error) => error)
  const { rows } = await api.list.list({ filter: { title: { contains: 'day' } }, include: ['items'] })
  const found = await api.list.find(list.id)
  const preview = await api.list.preview.delete(list.id)
  await preview.confirm()
  const gone = await api.list.find(list.id).catch((error) => error)
  await following
  return {
    node: typeof process + ' ' + typeof Buffer,
    titles: [list.title, changed.title, rows[0].title, found.title],
    items: rows[0].items.map(({ text }) => text),
    errors: [conflict instanceof ConflictError, refusal instanceof ServiceError, gone.status],
    goes: preview.changes.map(({ action, resource }) => action + ' ' + resource).sort(),
    told,
  }
}`

const ALL = {
  node: 'undefined undefined',
  titles: ['Saturday', 'Sunday', 'Sunday', 'Sunday'],
  items: ['flour'],
  errors: [true, true, 404],
  goes: ['Delete item', 'Delete list'],
  told: ['create list', 'patch list', 'delete list'],
}

let browser: Browser
let script: string
beforeAll(async () => {
  ;[browser, script] = await Promise.all([launch(), bundleClient(['source'])])
})
afterAll(() => browser.close())

describeOnBoth('the client in a browser', (database) => {
  const service = useService(database, resources, { changes: { poll: 50 } }, (app) => new ServedPage(script).addTo(app))
  const openPage = async (): Promise<Page> => {
    const page = await browser.newPage()
    await page.goto(service.url.replace('/api', '/'))
    return page
  }

  test('does on a page all that it does elsewhere', async () => {
    const page = await openPage()
    expect(await page.evaluate(`{ const url = '/api'; ${PROGRAM}; useAll() }`)).toEqual(ALL)
    await page.close()
  })

  test('does in a worker all that it does elsewhere', async () => {
    const page = await openPage()
    const work = `importScripts('${service.url.replace('/api', '/client.js')}'); const url = '${service.url}'; ${PROGRAM}
      useAll().then(postMessage, (error) => postMessage(String(error)))`
    const answered = page.evaluate(`new Promise((resolve, reject) => {
      const worker = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(work)}])))
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(message))
    })`)
    expect(await answered).toEqual(ALL)
    await page.close()
  })
})
