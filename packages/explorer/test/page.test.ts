import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pageFiles } from '../src/page-files.ts'

const root = join(import.meta.dirname, '..')

/** Kilobytes as they go over the wire: of all that the browser needs before it shows something, and of everything. */
const MOST = { first: 250, all: 550 }

describe('the built page', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'explorer-page-'))
    const vite = join(root, 'node_modules/vite/bin/vite.js')
    execFileSync(process.execPath, [vite, 'build', '--outDir', folder, '--logLevel', 'error'], { cwd: root })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Fonts are packed as they are. Of these a page needs the one with the letters that it has. */
  const kilobytesOf = (file: string): number => {
    const content = readFileSync(join(folder, 'assets', file))
    return (file.endsWith('.woff2') ? content : gzipSync(content, { level: 9 })).length / 1000
  }
  const sizeOf = (files: readonly string[]): number => files.reduce((sum, file) => sum + kilobytesOf(file), 0)

  test('is small: 250 kB before it shows something, and 550 in all', () => {
    const html = readFileSync(join(folder, 'index.html'), 'utf8')
    const named = [...html.matchAll(/assets\/([\w.-]+)/g)].map(([, file = '']) => file)
    const files = readdirSync(join(folder, 'assets'))
    const font = files.filter((file) => /^inter-latin-wght/.test(file))
    expect(font).toHaveLength(1)
    expect(sizeOf([...new Set([...named, ...font])])).toBeLessThan(MOST.first)
    expect(sizeOf(files)).toBeLessThan(MOST.all)
  })

  test('has no script and no style of its own in the HTML, and asks nobody else for anything', () => {
    const { html = '' } = pageFiles(folder) ?? {}
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|style=|https?:/)
    const styles = readdirSync(join(folder, 'assets')).filter((file) => file.endsWith('.css'))
    for (const file of styles)
      expect(readFileSync(join(folder, 'assets', file), 'utf8')).not.toMatch(/url\(["']?(?:https?:|\/|data:)/)
  })

  test('makes no program of a text, in no library either, and its own sources no HTML of one', () => {
    for (const file of readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.js')))
      expect(readFileSync(join(folder, 'assets', file), 'utf8'), file).not.toMatch(/\beval\(|\bnew Function\(/)
    const sources = readdirSync(join(root, 'page'), { recursive: true, encoding: 'utf8' })
    for (const file of sources.filter((name) => /\.tsx?$/.test(name)))
      expect(readFileSync(join(root, 'page', file), 'utf8'), file).not.toMatch(
        /innerHTML|outerHTML|insertAdjacent|\.write\(/,
      )
  })
})
