import { isEditable, isNullable, kindOf } from '../model/field-kinds.ts'
import { isReference, type Resource, type Row, type Schema } from '../model/model.ts'
import { readCsv } from './csv.ts'

/** A file as it was read: what its columns are called, and its records with the lines that they stand on. */
export interface ImportFile {
  readonly columns: readonly string[]
  readonly records: readonly ImportRecord[]
}

export interface ImportRecord {
  /** The number of the record in the file; the headings of a CSV file are 1. */
  readonly line: number
  readonly values: Row
}

/** @throws Error with words for people if the text is neither CSV nor an array of JSON. */
export function readFile(text: string): ImportFile {
  if (/^\s*\[/.test(text)) return readJsonFile(text)
  const [columns, ...rows] = readCsv(text)
  if (columns === undefined || rows.length === 0)
    throw new Error('The file has no records: its first line has the headings.')
  const records = rows.map((row, index) => ({
    line: index + 2,
    values: Object.fromEntries(columns.map((column, at) => [column, row[at] ?? ''])),
  }))
  return { columns, records }
}

function readJsonFile(text: string): ImportFile {
  const rows: unknown = JSON.parse(text)
  if (!Array.isArray(rows) || !rows.every((row) => typeof row === 'object' && row !== null)) {
    throw new Error('JSON has to be an array of objects.')
  }
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return { columns, records: rows.map((values, index) => ({ line: index + 1, values })) }
}

/** What a column can become: fields and foreign keys that bodies set, and an id that the client gives. */
export function targetsOf({ fields, relations, id }: Resource): Readonly<Record<string, Schema>> {
  const keys = Object.values(relations).filter((relation) => isReference(relation) && !relation.readOnly)
  return {
    ...(id?.assignedBy === 'client' && { id: id.schema }),
    ...Object.fromEntries(
      Object.entries(fields).flatMap(([name, field]) => (isEditable(field) ? [[name, field.schema]] : [])),
    ),
    ...Object.fromEntries(keys.flatMap(({ foreignKey }) => (foreignKey === undefined ? [] : [[foreignKey, {}]]))),
  }
}

/** Columns and fields of the same name belong together, whatever the case of their letters. */
export function guessMapping(
  columns: readonly string[],
  targets: Readonly<Record<string, Schema>>,
): Map<string, string> {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '')
  const found = columns.flatMap((column): [string, string][] => {
    const target = Object.keys(targets).find((name) => plain(name) === plain(column))
    return target === undefined ? [] : [[column, target]]
  })
  return new Map(found)
}

/** The body of a record. What is no value of its field stays a text, so that the service says what is wrong with it. */
export function bodyOfLine(
  values: Row,
  mapping: ReadonlyMap<string, string>,
  targets: Readonly<Record<string, Schema>>,
): Row {
  const entries = [...mapping].flatMap(([column, target]): [string, unknown][] => {
    const value = values[column]
    const read = typeof value === 'string' ? valueOfText(value, targets[target] ?? {}) : value
    return read === undefined ? [] : [[target, read]]
  })
  return Object.fromEntries(entries)
}

/** Undefined: there is nothing in the cell, and the record has its default. */
function valueOfText(text: string, schema: Schema): unknown {
  if (text === '') return isNullable(schema) ? null : undefined
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(text) && Number.isSafeInteger(Math.trunc(Number(text)))
  switch (kindOf(schema)) {
    case 'integer':
    case 'number':
      return isNumber ? Number(text) : text
    case 'boolean':
      return /^(?:true|yes|1)$/i.test(text) ? true : /^(?:false|no|0)$/i.test(text) ? false : text
    case 'json':
      // A foreign key has no schema here: numbers are ids of integers.
      return isNumber ? Number(text) : jsonOr(text)
    default:
      return text
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
