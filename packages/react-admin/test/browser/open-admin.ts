import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { build, defaultClientConditions } from 'vite'
import { type OpenShop, openShop } from '../../../../examples/bookshop/test/open-shop.ts'
import type { TestDatabase } from '../../../../test/support/databases.ts'

export interface OpenAdmin extends OpenShop {
  readonly origin: string
  /** How many streams of changes there are. */
  followers(): number
}

export interface BuiltPage {
  /** The text of a file of the page. */
  file(name: string): Promise<string>
  remove(): Promise<void>
}

/** Builds a page with a bundler, as applications do. */
export async function buildPage(root: string): Promise<BuiltPage> {
  const folder = await mkdtemp(join(tmpdir(), 'page-'))
  const before = process.env.NODE_ENV
  // The half of React that is for users. Plugins of later stories would take it for their own.
  process.env.NODE_ENV = 'production'
  try {
    await build({
      root,
      base: './',
      configFile: false,
      logLevel: 'error',
      resolve: { conditions: ['source', ...defaultClientConditions] },
      build: { outDir: folder, emptyOutDir: true, reportCompressedSize: false, chunkSizeWarningLimit: 5_000 },
    })
  } finally {
    process.env.NODE_ENV = before
  }
  return {
    file: async (name) => await readFile(join(folder, name), 'utf8'),
    remove: async () => await rm(folder, { recursive: true, force: true }),
  }
}

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

/** The seeded bookshop, with the page at `/admin/`. */
export async function openAdmin(database: TestDatabase, built: BuiltPage): Promise<OpenAdmin> {
  const open = await openShop(database)
  const streams = new Set<ServerResponse>()
  open.app.server.on('request', ({ url }, response) => {
    if (url?.endsWith('/$changes') !== true) return
    streams.add(response)
    response.once('close', () => streams.delete(response))
  })
  open.app.get('/admin/*', { schema: { hide: true } }, async (request, reply) => {
    const name = (request.params as { readonly '*': string })['*'] || 'index.html'
    return await reply.type(`${TYPES[extname(name)]}; charset=utf-8`).send(await built.file(name))
  })
  const origin = await open.app.listen({ port: 0, host: '127.0.0.1' })
  return { ...open, origin, followers: () => [...streams].filter(({ headersSent }) => headersSent).length }
}

/** What goes wrong on a page: errors of its scripts, and warnings of React in the console. */
export function errorsOf(page: Page): readonly string[] {
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('console', (message) => {
    // The browser's own line for an answer that is no success.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text())
  })
  return errors
}
