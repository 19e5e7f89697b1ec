// How the packages read, in figures: their size, how far features are scattered, and small things that make a reader stop.
// `count.ts` prints all; `count.ts tenants` the lines of that feature in files of others; `count.ts names`, `wide` or `small` what is counted.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Feature {
  /** Names it in code, in whatever words the files of others have for it. */
  readonly words: RegExp
  /** Its own files and folders. */
  readonly own: readonly string[]
}

const FEATURES: Readonly<Record<string, Feature>> = {
  tenants: {
    words: /tenant/i,
    own: [
      'core/src/model/define/build-tenant.ts',
      'core/src/model/descriptors/tenant.ts',
      'core/src/sql/rows/of-tenant.ts',
      'core/src/sql/rows/whose-rows.ts',
      'core/src/store/tenants.ts',
      'tables/src/check/keys/whole-keys.ts',
      'tables/src/generate/tenants/',
      'tables/src/layout/tenant-keys.ts',
    ],
  },
  'soft delete': {
    words: /softDelet|deleted|restor|purge/i,
    own: [
      'core/src/model/define/build-soft-delete.ts',
      'core/src/sql/reads/deleted-rows.ts',
      'core/src/store/purge.ts',
      'core/src/store/types/deleted-records.ts',
      'core/src/writing/read-to-restore.ts',
    ],
  },
  policies: {
    words: /polic|rights/i,
    own: [
      'core/src/asking/policies/',
      'core/src/model/field-rights.ts',
      'core/src/store/stores-by-rights.ts',
      'core/src/store/types/policy-types.ts',
    ],
  },
  rules: {
    words: /\brule[sd]?\b|Ruled?s?\b|invariant/i,
    own: ['core/src/rules/', 'core/src/writing/rule-write.ts'],
  },
  actions: {
    words: /\bactions\b|\bacts?\b|CheckedAction|\$act/,
    own: [
      'core/src/actions/',
      'core/src/rules/stages/end-together.ts',
      'core/src/store/define-actions.ts',
      'core/src/store/types/act-methods.ts',
      'fastify-crud/src/http/operations/act.ts',
      'openapi/src/routes/action-paths.ts',
    ],
  },
  search: {
    words: /search|\bfts|trigram|trgm/i,
    own: [
      'core/src/model/descriptors/search.ts',
      'core/src/sql/filters/search-candidates.ts',
      'tables/src/create/search-table.ts',
    ],
  },
  'top level': {
    words: /topLevel|top level|namesNoOwner|atTop/i,
    own: ['core/src/sql/reads/owners-query.ts', 'core/src/store/locate.ts'],
  },
  groups: {
    words: /\$group|group(?:Query|Request|Options|Rights|Keys?|Rows)\b|(?:find|read)Groups|\bgroups\b/i,
    own: [
      'core/src/asking/groups/',
      'core/src/model/types/group-types.ts',
      'core/src/sql/reads/groups-query.ts',
      'core/src/store/read/read-groups.ts',
      'core/src/store/types/group-options.ts',
    ],
  },
  bulk: {
    words: /bulk|upsert|byFilter|isOfMany|isForMany/i,
    own: [
      'core/src/store/bulk/',
      'core/src/store/types/bulk-methods.ts',
      'core/src/writing/bulk/',
      'fastify-crud/src/http/operations/writes-of-many.ts',
    ],
  },
  'Idempotency-Key': {
    words: /idempoten|\bclaim|repeats?\b/i,
    own: [
      'core/src/sql/steps/repeat-queries.ts',
      'core/src/writing/repeats.ts',
      'fastify-crud/src/http/headers/idempotency-key.ts',
    ],
  },
}

const packages = join(import.meta.dirname, '../packages')
const names = readdirSync(packages).filter((name) => existsSync(join(packages, name, 'src')))

/** A file's path from `packages/` on, and its lines. */
const sources = new Map(
  names.flatMap((name) =>
    readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${name}/src/${file}`)
      .map((file) => [file, readFileSync(join(packages, file), 'utf8').split('\n').slice(0, -1)] as const),
  ),
)

const isComment = (line: string): boolean => /^\s*(?:\/\/|\/\*|\*)/.test(line)
const add = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)
const linesOf = (files: readonly string[]): number => add(files.map((file) => sources.get(file)?.length ?? 0))
const filesIn = (start: string): string[] => [...sources.keys()].filter((file) => file.startsWith(start))

function ownFiles({ own }: Feature): string[] {
  return own.flatMap((path) => {
    const found = filesIn(path)
    if (found.length === 0) throw new Error(`there is no ${path}: the list in scripts/count.ts is out of date`)
    return found
  })
}

/** The lines of code that name a feature in files of others, by file. Comments do not count, imports do. */
function scattered(feature: Feature): Map<string, number> {
  const own = new Set(ownFiles(feature))
  const counted = [...sources].map(([file, lines]) => {
    const naming = lines.filter((line) => !isComment(line) && feature.words.test(line))
    return [file, own.has(file) ? 0 : naming.length] as const
  })
  return new Map(counted.filter(([, lines]) => lines > 0))
}

/** Names that several files export, each a thing of its own. */
function sharedNames(): Map<string, string> {
  const files = new Map<string, Set<string>>()
  const declaration =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|class|interface|type|enum) (\w+)/
  for (const [file, lines] of sources) {
    for (const line of lines) {
      const name = declaration.exec(line)?.[1]
      if (name !== undefined) files.set(name, (files.get(name) ?? new Set()).add(file))
    }
  }
  const shared = [...files].filter(([, all]) => all.size > 1)
  return new Map(shared.map(([name, all]) => [name, [...all].join(', ')]))
}

const COLUMNS = 120

function wideComments(): Map<string, number> {
  const counted = [...sources].map(([file, lines]) => {
    const wide = lines.filter((line) => isComment(line) && line.length > COLUMNS)
    return [file, wide.length] as const
  })
  return new Map(counted.filter(([, lines]) => lines > 0))
}

/** A file below this is a part of the one that imports it, if that is only one and no package's door. */
const SMALL = 40

function smallFiles(): Map<string, string> {
  const importers = new Map<string, Set<string>>()
  for (const [file, lines] of sources) {
    for (const [, path = ''] of lines.join('\n').matchAll(/(?:from|import\(?) ?'(\.[^']+)'/g)) {
      const imported = join(dirname(file), path)
      importers.set(imported, (importers.get(imported) ?? new Set()).add(file))
    }
  }
  const isDoor = (file: string): boolean => /\/src\/[\w-]+\.ts$/.test(file)
  const small = [...importers].filter(([file, by]) => by.size === 1 && linesOf([file]) < SMALL && ![...by].some(isDoor))
  return new Map(small.map(([file, by]) => [file, [...by].join()]))
}

/** Numbers stand below each other by their last digits. */
function table(rows: readonly (readonly (string | number)[])[]): string {
  const widthOf = (column: number) => Math.max(...rows.map((row) => String(row[column]).length))
  const widths = rows[0]?.map((_, column) => widthOf(column)) ?? []
  const toCell = (cell: string | number, column: number) =>
    typeof cell === 'number' ? String(cell).padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  return `${rows.map((row) => row.map(toCell).join('  ').trimEnd()).join('\n')}\n`
}

const LISTS = { names: sharedNames, wide: wideComments, small: smallFiles }
const [asked] = process.argv.slice(2).filter((arg) => arg !== '--')

if (asked === undefined) {
  const perPackage = names.map((name) => [name, filesIn(`${name}/`).length, linesOf(filesIn(`${name}/`))])
  const features = Object.entries(FEATURES).map(([name, feature]) => {
    const others = scattered(feature)
    return [name, ownFiles(feature).length, linesOf(ownFiles(feature)), others.size, add([...others.values()])]
  })
  const tables = [
    [['package', 'files', 'lines'], ...perPackage, ['all', sources.size, linesOf([...sources.keys()])]],
    [['feature', 'own files', 'own lines', 'other files', 'lines there'], ...features],
    [
      ['exported names that several files declare', sharedNames().size],
      [`comment lines over ${COLUMNS} columns`, add([...wideComments().values()])],
      [`files below ${SMALL} lines with one importer`, smallFiles().size],
    ],
  ]
  process.stdout.write(tables.map(table).join('\n'))
} else {
  const feature = FEATURES[asked]
  const list = feature === undefined ? LISTS[asked as keyof typeof LISTS]?.() : scattered(feature)
  const all = [...Object.keys(FEATURES), ...Object.keys(LISTS)].join(', ')
  if (list === undefined) throw new Error(`there is no list '${asked}': there are ${all}`)
  process.stdout.write(table([...list]))
}
