import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { rolldown } from 'rolldown'

/** What a bundler makes of the client for a page; `conditions`: of its sources, or as it is built. */
export async function bundleClient(conditions: readonly string[] = []): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, 'program.ts'),
    platform: 'browser',
    resolve: { conditionNames: [...conditions, 'import', 'default'] },
  })
  const { output } = await build.generate({ format: 'iife', minify: true })
  await build.close()
  return output[0].code
}

/** An empty page at `/` that has the client, the client's script for a worker, and the streams that it has open. */
export class ServedPage {
  readonly #script: string
  readonly #open = new Set<() => void>()
  /** So many streams were opened. */
  opened = 0

  constructor(script: string) {
    this.#script = script
  }

  addTo(app: FastifyInstance): void {
    app.get('/', (_, reply) => reply.type('text/html').send('<!doctype html><script src="/client.js"></script>'))
    app.get('/client.js', (_, reply) => reply.type('text/javascript').send(this.#script))
    app.addHook('onRequest', async ({ url }, { raw }) => {
      if (!url.includes('/$changes')) return
      this.opened += 1
      const end = () => raw.destroy()
      this.#open.add(end)
      raw.once('close', () => this.#open.delete(end))
    })
  }

  get streams(): number {
    return this.#open.size
  }

  /** Has the connections break. */
  breakAll(): void {
    for (const end of this.#open) end()
  }
}
