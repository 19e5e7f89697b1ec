// `pnpm test`: all tests. `pnpm test core`: a package's or a subject's most telling files, an answer within a minute. Anything else is a part of
// the files' paths, or an option of vitest.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { subjects } from './test-subjects.ts'

const args = process.argv.slice(2)
const files = args.flatMap((one) => subjects[one] ?? [one])
const names = args.filter((one) => subjects[one] !== undefined)
if (names.length > 0)
  process.stdout.write(`The quick tests of ${names.join(', ')}. All of a package: pnpm test packages/core/test\n`)
const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
process.exitCode = spawnSync(process.execPath, [vitest, 'run', ...files], { stdio: 'inherit' }).status ?? 1
