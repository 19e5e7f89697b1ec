import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

export interface PageFile {
  readonly type: string
  readonly body: Buffer
}

/** The built page: its HTML, and the files that it loads, which never change as their names have a hash. */
export interface PageFiles {
  readonly html: string
  /** Undefined if there is no such file. A file is read at its first use. */
  file(name: string): Promise<PageFile> | undefined
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Undefined where the page was not built, as in a fresh clone. */
export function pageFiles(folder: string): PageFiles | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined
  const names = new Set(readdirSync(join(folder, 'assets')))
  const read = new Map<string, Promise<PageFile>>()
  const load = async (name: string): Promise<PageFile> => ({
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    body: await readFile(join(folder, 'assets', name)),
  })
  return {
    html: readFileSync(join(folder, 'index.html'), 'utf8'),
    file(name) {
      // Only what the folder has: no name leads out of it.
      if (!names.has(name)) return undefined
      const file = read.get(name) ?? load(name)
      read.set(name, file)
      return file
    },
  }
}

/** The page with what it has to know, as an attribute: the policy allows no script in it. */
export function htmlWith({ html }: PageFiles, settings: object): string {
  const text = JSON.stringify(settings).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return html.replace('<div id="root">', () => `<div id="root" data-settings="${text}">`)
}
