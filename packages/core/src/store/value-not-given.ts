import type { StepError } from '../connection/step-error.ts'
import { isInserted } from '../model/field-options.ts'
import type { Field } from '../model/model.ts'
import type { QueryContext } from '../query/context.ts'

const NOT_NULL = new Set(['23502', 'SQLITE_CONSTRAINT_NOTNULL'])

/**
 * The error of a new row for which the database has no value of a field that cannot be null and that the caller may not set. The
 * caller cannot mend that. Undefined if the database refused something else.
 */
export function valueNotGiven({ names }: QueryContext, { step, cause }: StepError): Error | undefined {
  const { code, message } = cause as { code?: unknown; message?: unknown }
  if (step.step !== 'insert' || !NOT_NULL.has(String(code))) return undefined
  const isLacking = (field: Field) => step.rows.some(({ values }) => !isInserted(field, values[field.position]))
  const required = step.resource.fields.filter((field) => !field.nullable && isLacking(field))
  const field = required.find(({ column }) => namesColumn(String(message), names.column(column)))
  if (field === undefined) return undefined
  const place = `${step.resource.key}.${field.name}`
  const why = whyLacking(field)
  return new Error(`nothing gives ${place} a value: ${why}, so its column needs a default or a trigger`, { cause })
}

function whyLacking({ hasDbDefault, access }: Field): string {
  if (hasDbDefault) return 'it has dbDefault'
  return access?.Edit === undefined ? 'it is read-only' : 'not every caller may set it'
}

/** `null value in column "at" of relation …`, in the server's language; `NOT NULL constraint failed: book.at`. */
function namesColumn(message: string, column: string): boolean {
  return message.includes(`"${column}"`) || message.endsWith(`.${column}`)
}
