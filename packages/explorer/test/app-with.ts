import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import fp from 'fastify-plugin'
import { serveExplorer } from '../src/explorer.ts'
import type { ExplorerOptions } from '../src/options.ts'

/** A built page of two files. */
export function makePage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'explorer-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<html><div id="root"></div><script src="./assets/a.js"></script></html>')
  writeFileSync(join(folder, 'assets/a.js'), 'go()')
  return folder
}

/** An application with the explorer and nothing else. */
export async function appWith(
  folder: string,
  options: ExplorerOptions = {},
  ofApp: FastifyServerOptions = {},
  prefix = '',
): Promise<FastifyInstance> {
  const app = Fastify(ofApp)
  const plugin = fp(async (scope) => serveExplorer(scope, options, folder))
  await app.register(async (scope) => void (await scope.register(plugin)), { prefix })
  return app
}

/** What the application answers a browser on this machine, but for those headers and that address. */
export const ask = (
  app: FastifyInstance,
  url: string,
  headers: Record<string, string> = {},
  remoteAddress = '127.0.0.1',
) => app.inject({ url, headers: { host: 'localhost:3000', ...headers }, remoteAddress })

/** A logger of Fastify, and what it has logged. */
export function linesOfLog(level = 'info') {
  const lines: string[] = []
  return { lines, logger: { level, stream: { write: (line: string) => void lines.push(JSON.parse(line).msg) } } }
}
