import fc from 'fast-check'
import type { Settings } from './column-kind.ts'

/** What a database or a role may set, and no answer may depend on. A start with fewer `extra_float_digits` is refused. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  datestyle: ["'ISO, DMY'", "'German, DMY'", "'SQL, DMY'", "'SQL, MDY'", "'Postgres, MDY'", "'Postgres, DMY'"],
  intervalstyle: ["'postgres_verbose'", "'sql_standard'", "'iso_8601'"],
  timezone: ["'Asia/Kolkata'", "'America/St_Johns'", "'Europe/Vienna'", "'Pacific/Apia'"],
  extra_float_digits: ['1', '3'],
  bytea_output: ["'escape'"],
  standard_conforming_strings: ['off'],
  default_transaction_isolation: ["'repeatable read'", "'serializable'"],
  xmlbinary: ["'hex'"],
}

export const randomSettings: fc.Arbitrary<Settings> = fc.record({
  of: fc.constantFrom('database' as const, 'role' as const),
  values: fc
    .tuple(
      ...Object.entries(VALUES).map(([name, values]) => fc.constantFrom([], ...values.map((value) => [[name, value]]))),
    )
    .map((settings) => Object.fromEntries(settings.flat())),
})
