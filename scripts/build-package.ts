// Builds the package of the current folder into `dist`: one bundle for each entry, with what several entries share in chunks of their own, and
// the compiler's declarations, as far as an entry needs them. Everything that is no file of the package stays an import.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly source: string; readonly default: string }>>
}

const root = join(import.meta.dirname, '..')
const folder = process.cwd()
const dist = join(folder, 'dist')
const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
const entries = Object.values(exports).filter((entry) => typeof entry !== 'string')
const input = Object.fromEntries(entries.map((entry) => [nameOf(entry.default), resolve(folder, entry.source)]))

rmSync(dist, { recursive: true, force: true })
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
removeUnneeded(declarationsOf(Object.keys(input)))
await bundle()

/** `./dist/open/open-sqlite.js` is `open/open-sqlite`. */
function nameOf(file: string): string {
  return relative('dist', file).replace(/\.js$/, '')
}

async function bundle(): Promise<void> {
  const build = await rolldown({ input, plugins: [withReaderProgram()], external: isOutside, platform: 'node' })
  const { output } = await build.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name].js',
    comments: false,
  })
  await build.close()
  const size = output.reduce((sum, file) => sum + ('code' in file ? file.code.length : 0), 0)
  process.stdout.write(`${output.length} files of JavaScript, ${Math.round(size / 1024)} kB\n`)
}

function isOutside(specifier: string): boolean {
  return !/^[./]/.test(specifier)
}

/**
 * A thread's program has to be in the bundle as a text, as no bundler of an application knows that a file beside it is needed. The sources name
 * that file instead.
 */
function withReaderProgram(): Plugin {
  const program = join(folder, 'src/open/reader-program.ts')
  return {
    name: 'reader-program',
    async load(id) {
      if (id !== program) return null
      const build = await rolldown({
        input: join(folder, 'src/open/reader-thread.ts'),
        external: isOutside,
        platform: 'node',
      })
      const { output } = await build.generate({ format: 'cjs', minify: true })
      await build.close()
      return { code: `export const READER_PROGRAM = ${JSON.stringify(output[0].code)}`, moduleType: 'js' }
    },
  }
}

/** The declarations that those of the entries name, however far away. */
function declarationsOf(names: readonly string[]): Set<string> {
  const found = new Set<string>()
  const follow = (file: string): void => {
    if (found.has(file)) return
    found.add(file)
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/(?:from |import\(|import )["'](\.[^"']+)["']/g)) {
      follow(join(dirname(file), (specifier as string).replace(/\.(?:ts|js)$/, '.d.ts')))
    }
  }
  for (const name of names) follow(join(dist, `${name}.d.ts`))
  return found
}

function removeUnneeded(needed: ReadonlySet<string>): void {
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.d.ts') && !needed.has(join(dist, file))) rmSync(join(dist, file))
  }
}
