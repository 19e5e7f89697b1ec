/** Time and memory of `tsc` for a model of 200 resources and code that uses its types: `[resources]`. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { modelText, usesText, writeGenerated } from './generate-model.ts'

const resources = Number(process.argv[2] ?? 200)
await writeGenerated('model.ts', modelText(resources))
await writeGenerated('uses.ts', usesText(resources))
const config = { extends: '../../../tsconfig.json', include: ['model.ts', 'uses.ts'] }
const project = await writeGenerated('tsconfig.json', JSON.stringify(config))

const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
const { stdout, status } = spawnSync(
  process.execPath,
  [join(typescript, 'bin', 'tsc'), '-p', fileURLToPath(project), '--extendedDiagnostics'],
  { encoding: 'utf8' },
)
if (status !== 0) throw new Error(`tsc found mistakes in what was generated:\n${stdout.slice(0, 2_000)}`)
const wanted = /^(?:Types|Instantiations|Memory used|Check time|Total time):.*$/gm
console.log(`tsc, ${resources} resources:\n${stdout.match(wanted)?.join('\n')}`)
