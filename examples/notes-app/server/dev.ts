// The service, and the page with what Vite does for it while one works on it. The page reaches the service under its own origin.
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createTables } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'
import { createServer } from 'vite'
import { buildApp } from './app.ts'
import { resources } from './model.ts'
import { seed } from './seed.ts'

const folder = join(import.meta.dirname, '..')
const db = openSqlite(process.env.DATABASE || join(folder, 'notes.sqlite'), { resources })
await createTables(db, resources)
await seed(db)
const app = await buildApp(db)
const service = await app.listen({ host: '127.0.0.1', port: 0 })

const page = await createServer({
  configFile: join(folder, 'vite.config.ts'),
  server: { host: '127.0.0.1', port: Number(process.env.PORT || 3000), proxy: { '/api': service } },
})
await page.listen()
const address = page.httpServer?.address() as AddressInfo | null | undefined
console.log(`\n  Notes  http://127.0.0.1:${address?.port}\n`)

async function close(): Promise<void> {
  await page.close()
  await app.close()
  await db.destroy()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())
