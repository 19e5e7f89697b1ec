import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, test } from 'vitest'

const MOST_BYTES = 8 * 1024
const MOST_BYTES_OF_QUERIES = 5 * 1024
const MOST_BYTES_OF_CHANGES = 2.5 * 1024

interface Bundle {
  readonly code: string
  readonly imports: readonly string[]
}

/** What a bundler makes of a program, for a page. */
async function bundled(entry: string, format: 'esm' | 'iife'): Promise<Bundle> {
  const build = await rolldown({
    input: join(import.meta.dirname, '../src', entry),
    platform: 'browser',
    external: (specifier) => !/^[./]/.test(specifier),
  })
  const { output } = await build.generate({ format, name: 'client', minify: true, exports: 'named' })
  await build.close()
  const [{ code, imports }] = output
  return { code, imports }
}

/** What pages and workers have of what the client uses, and nothing of Node.js. */
const BARE = { URLSearchParams, AbortController, crypto, setTimeout, clearTimeout, Response }

describe('the client', () => {
  let script: Bundle
  beforeAll(async () => {
    script = await bundled('index.ts', 'iife')
  })

  test.each([
    ['index.ts', MOST_BYTES],
    ['query/index.ts', MOST_BYTES_OF_QUERIES],
    ['changes.ts', MOST_BYTES_OF_CHANGES],
  ])('%s imports nothing, and has at most %d bytes, compressed', async (entry, most) => {
    const { code, imports } = await bundled(entry, 'esm')
    expect(imports).toEqual([])
    expect(gzipSync(code).length).toBeLessThanOrEqual(most)
  })

  test('runs where there is nothing of Node.js, as in a worker of a browser', async () => {
    const requests: string[] = []
    const answer = (body: object) =>
      new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json', etag: '"a"' } })
    const fetch = async (url: string, { method }: { method: string }) => {
      requests.push(`${method} ${url}`)
      if (!url.endsWith('/$model')) return answer({ id: 1, text: 'tea' })
      const note = { paths: ['/notes'], fields: {}, relations: {}, defaultInclude: [] }
      return answer({ model: 1, hash: 'x', idempotency: true, limits: { maxPage: 100 }, resources: { note } })
    }
    const context = createContext({ ...BARE, fetch })
    expect(runInContext('typeof process + typeof require + typeof Buffer', context)).toBe('undefined'.repeat(3))
    const found = runInContext(
      `${script.code}
      const api = client.createClient({ url: '/api' })
      api.note.find(1).then((note) => api.note.patch(note, { text: 'coffee' })).then(JSON.stringify)`,
      context,
    )
    expect(JSON.parse(await found)).toEqual({ id: 1, text: 'tea', $etag: '"a"' })
    expect(requests).toEqual(['GET /api/$model', 'GET /api/notes/1', 'PATCH /api/notes/1'])
  })
})
