import type { SchemaValidateFunction } from 'ajv'
import type { Ajv2019 } from 'ajv/dist/2019.js'

/**
 * Replaces Ajv's `uniqueItems`, which compares every item with every other: 10,000 objects are 50 million comparisons.
 * This check turns each item into a text once. Equal items have equal texts.
 */
export function checkUniqueItemsByText(ajv: Ajv2019): void {
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    before: 'additionalItems',
    validate: areUnique,
  })
}

const areUnique: SchemaValidateFunction = (wanted: boolean, items: readonly unknown[]) => {
  if (!wanted || items.length < 2) return true
  const indexes = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    const text = textOf(item)
    const other = indexes.get(text)
    if (other !== undefined) {
      const message = `must NOT have duplicate items (items ## ${other} and ${index} are identical)`
      areUnique.errors = [{ keyword: 'uniqueItems', message, params: { i: index, j: other } }]
      return false
    }
    indexes.set(text, index)
  }
  return true
}

/** The texts of one value's parts, so that nested arrays with `uniqueItems` turn each part into a text only once. */
let texts: WeakMap<object, string> | undefined

/** Call it after each check: the caller may change the value before the next one. */
export function forgetTexts(): void {
  texts = undefined
}

/** A text that is the same for equal JSON values only. The order of an object's keys does not count. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  texts ??= new WeakMap()
  let text = texts.get(value)
  if (text === undefined) {
    text = Array.isArray(value) ? `[${value.map(textOf).join()}]` : `{${membersOf(value).join()}}`
    texts.set(value, text)
  }
  return text
}

function membersOf(value: object): readonly string[] {
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`)
  return members.sort()
}
