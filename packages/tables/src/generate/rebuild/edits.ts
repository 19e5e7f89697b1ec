import { quoted } from '../../quoted-names.ts'
import type { Edit } from '../change.ts'
import { isName, isWord, occursOnce, partsOf, type TablePart, type Token } from './table-texts.ts'

/** Adds a foreign key to columns that are there. */
export function addedForeignKey(
  name: string,
  columns: readonly string[],
  target: string,
  targetColumns: readonly string[],
): Edit {
  const reference = `REFERENCES ${quoted(target)} (${quoted(...targetColumns)})`
  return { from: '', to: `CONSTRAINT ${quoted(name)} FOREIGN KEY (${quoted(...columns)}) ${reference}` }
}

/** Removes a unique key with a name; undefined if the table was not created with it. */
export function removedUnique(createTable: string, name: string): Edit | undefined {
  const part = partsOf(createTable).find(({ tokens: [first, second, third] }) => {
    return isWord(first, 'CONSTRAINT') && second !== undefined && isName(second, name) && isWord(third, 'UNIQUE')
  })
  return part && only(createTable, { from: part.text, to: '' })
}

/** Has nothing happen to the row when the one that it names is deleted. */
export function removedAction(createTable: string, column: string): Edit | undefined {
  const part = partsOf(createTable).find((one) => isForeignKeyOf(one, column))
  if (part === undefined) return undefined
  const { tokens, text } = part
  const on = tokens.findIndex((token, at) => isWord(token, 'ON') && isWord(tokens[at + 1], 'DELETE'))
  if (on < 0) return undefined
  const isOfTwoWords = isWord(tokens[on + 2], 'SET') || isWord(tokens[on + 2], 'NO')
  const last = tokens[on + (isOfTwoWords ? 3 : 2)] as Token
  const before = tokens[on - 1] as Token
  return only(createTable, { from: text.slice(0, last.end), to: text.slice(0, before.end) })
}

function isForeignKeyOf({ tokens }: TablePart, column: string): boolean {
  const at = tokens.findIndex((token) => isWord(token, 'REFERENCES'))
  if (at < 0) return false
  const key = tokens.findIndex((token, index) => isWord(token, 'FOREIGN') && isWord(tokens[index + 1], 'KEY'))
  const [named, end] = key < 0 ? [tokens[0], undefined] : [tokens[key + 3], tokens[key + 4]]
  return named !== undefined && isName(named, column) && (key < 0 || isWord(end, ')'))
}

/** What may follow the type of a column. */
const CONSTRAINTS = [
  ...['CONSTRAINT', 'PRIMARY', 'NOT', 'NULL', 'UNIQUE', 'CHECK', 'DEFAULT', 'COLLATE', 'REFERENCES', 'GENERATED', 'AS'],
]

/** What may depend on the type. */
const OF_A_TYPE = ['CHECK', 'COLLATE', 'DEFAULT', 'GENERATED', 'AS', 'PRIMARY', 'REFERENCES']

/** Gives a column another type; undefined if more is said of the column than that it is unique or not null. */
export function otherType(createTable: string, column: string, type: string): Edit | undefined {
  const part = partsOf(createTable).find(({ tokens: [first] }) => first !== undefined && isName(first, column))
  const [name, ...behind] = part?.tokens ?? []
  if (part === undefined || name === undefined) return undefined
  if (behind.some(({ word, isQuoted }) => !isQuoted && OF_A_TYPE.includes(word))) return undefined
  const end = behind.findIndex(({ word, isQuoted }) => !isQuoted && CONSTRAINTS.includes(word))
  const ofType = end < 0 ? behind : behind.slice(0, end)
  const from = part.text.slice(0, ofType.at(-1)?.end ?? name.end)
  return only(createTable, { from, to: `${part.text.slice(0, name.end)} ${type}` })
}

/** An edit whose place is certain, also on the way back. */
function only(createTable: string, edit: Edit): Edit | undefined {
  if (!occursOnce(createTable, edit.from)) return undefined
  const changed = createTable.replace(edit.from, () => edit.to)
  return edit.to === '' || occursOnce(changed, edit.to) ? edit : undefined
}
