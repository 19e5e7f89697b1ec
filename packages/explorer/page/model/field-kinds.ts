import type { Field, Schema } from './model.ts'

/** How a value is shown, entered and compared. */
export type FieldKind =
  | 'text'
  | 'long'
  | 'enum'
  | 'boolean'
  | 'integer'
  | 'number'
  | 'decimal'
  | 'date'
  | 'date-time'
  | 'bytes'
  | 'json'

/** Longer texts get a box of several lines. */
const LONG = 250

const typesOf = ({ type }: Schema): readonly string[] =>
  type === undefined ? [] : typeof type === 'string' ? [type] : type

/** The schema without its branch for null. */
function bare(schema: Schema): Schema {
  const branches = schema.anyOf ?? schema.oneOf
  const values = branches?.filter((branch) => !typesOf(branch).includes('null'))
  return values?.length === 1 ? { ...schema, ...values[0] } : schema
}

export function isNullable(schema: Schema): boolean {
  if (schema.enum?.includes(null)) return true
  const branches = schema.anyOf ?? schema.oneOf ?? []
  return typesOf(schema).includes('null') || branches.some((branch) => typesOf(branch).includes('null'))
}

/** The values of an enum, or undefined. */
export function choicesOf(schema: Schema): readonly unknown[] | undefined {
  const { enum: values, anyOf, oneOf } = bare(schema)
  if (values !== undefined) return values.filter((value) => value !== null)
  const branches = (anyOf ?? oneOf)?.filter((branch) => !typesOf(branch).includes('null'))
  if (!branches || branches.length === 0 || branches.some((branch) => branch.const === undefined)) return undefined
  return branches.map((branch) => branch.const)
}

export function kindOf(whole: Schema): FieldKind {
  if (choicesOf(whole) !== undefined) return 'enum'
  const schema = bare(whole)
  const types = typesOf(schema).filter((type) => type !== 'null')
  if (types.length !== 1) return 'json'
  switch (types[0]) {
    case 'boolean':
    case 'integer':
    case 'number':
      return types[0]
    case 'string':
      return kindOfText(schema)
    default:
      return 'json'
  }
}

function kindOfText({ format, contentEncoding, maxLength, pattern }: Schema): FieldKind {
  if (format === 'decimal' || format === 'date' || format === 'date-time') return format
  if (contentEncoding === 'base64') return 'bytes'
  if (format !== undefined || pattern !== undefined) return 'text'
  return maxLength === undefined || maxLength > LONG ? 'long' : 'text'
}

export const isNumeric = (kind: FieldKind): boolean => kind === 'integer' || kind === 'number' || kind === 'decimal'

/** Whether forms set the field of a record that is there. */
export const isEditable = (field: Field): boolean => !field.readOnly && !field.computed
