import type { Model } from '../../model/model.ts'
import type { QueryContext } from '../../query/context.ts'
import { formOf } from '../../query/text/field-column.ts'

/** Throws a TypeError that lists all fields whose `stored` is not for this database. */
export function checkStored({ resources }: Model, context: QueryContext): void {
  const problems = [...resources.values()].flatMap(({ key, fields }) =>
    fields
      .filter((field) => field.stored !== undefined && formOf(context, field) === undefined)
      .map(
        ({ name, stored }) =>
          `${key}.fields.${name}: this database has no columns with stored: ${JSON.stringify(stored)}`,
      ),
  )
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
}
