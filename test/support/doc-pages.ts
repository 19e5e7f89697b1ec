import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** A fenced block of a page. */
export interface Block {
  /** The page's path from the root of the repository. */
  readonly page: string
  readonly language: string
  readonly text: string
}

/** The README and the pages of `docs/`, also those in its folders. */
export const docPages: readonly string[] = [
  'README.md',
  ...readdirSync(join(root, 'packages'))
    .map((name) => `packages/${name}/README.md`)
    .filter((page) => existsSync(join(root, page))),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

const FENCED = /^```(\w+)\n([\s\S]*?)^```$/gm

export function blocksOf(page: string): Block[] {
  return blocksIn(page, readFileSync(join(root, page), 'utf8'))
}

/** The blocks of the section with this title. */
export function blocksOfSection(page: string, title: string): Block[] {
  const sections = readFileSync(join(root, page), 'utf8').split(/^## /m)
  const section = sections.find((text) => text.startsWith(`${title}\n`))
  if (section === undefined) throw new Error(`${page} has no section '${title}'`)
  return blocksIn(page, section)
}

function blocksIn(page: string, text: string): Block[] {
  return [...text.matchAll(FENCED)].map(([, language = '', block = '']) => ({ page, language, text: block.trim() }))
}

/** Blocks of code; a `declare module` is for the compiler only. */
export function isCode({ language, text }: Block): boolean {
  return (language === 'ts' || language === 'js') && !text.startsWith('declare module')
}
