import type { Model } from '../../model/model.ts'
import type { QueryContext } from '../../sql/context.ts'
import { servesBytes } from '../../sql/dialect/sqlite/sqlite-functions.ts'
import { formOf } from '../../sql/text/field-column.ts'

/** Throws a TypeError that lists all fields that this database cannot serve. */
export function checkStored({ resources }: Model, context: QueryContext): void {
  const problems = [...resources.values()].flatMap(({ key, fields, computed }) => [
    ...fields
      .filter((field) => field.stored !== undefined && formOf(context, field) === undefined)
      .map(
        ({ name, stored }) =>
          `${key}.fields.${name}: this database has no columns with stored: ${JSON.stringify(stored)}`,
      ),
    ...[...fields, ...computed]
      .filter(({ storage }) => storage === 'bytes' && !servesBytes(context.db))
      .map(
        (value) =>
          `${key}.${value.kind === 'field' ? 'fields' : 'computed'}.${value.name}: this connection to SQLite cannot print base64; open it by openSqlite`,
      ),
  ])
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
}
