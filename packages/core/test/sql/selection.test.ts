import { describe, expect, test } from 'vitest'
import type { SelectedProperty, Selection } from '../../src/asking/select/selection.ts'
import { idsOf, stateOf, wholeRecord } from '../../src/asking/select/selections.ts'
import { ALL_FIELDS } from '../../src/model/field-rights.ts'
import { resourceOf } from './bookshop.ts'

/** A selection in a few words: `title`, `publisher[name]`. */
function inWords({ properties }: Selection): string {
  return properties.map(propertyInWords).join(' ')
}

function propertyInWords(property: SelectedProperty): string {
  switch (property.kind) {
    case 'field':
      return property.field.name
    case 'computed':
      return property.computed.name
    case 'foreignKey':
      return property.reference.foreignKey
    case 'reference':
      return `${property.reference.name}[${inWords(property.record)}]`
    case 'link':
      return `${property.link.name}[${property.records === undefined ? '' : inWords(property.records)}]`
    case 'owned':
      return `${property.owns.name}[${inWords(property.records)}]`
    case 'descendants':
      return `${property.owns.name}[all below: ${inWords(property.records)}]`
    case 'children':
      return `${property.owns.name}[]`
    case 'single':
      return `${property.relation.name}[${inWords(property.record)}]`
    case 'chosen':
      return `${property.relation.name}[some: ${inWords(property.records)}]`
    case 'count':
      return property.name
  }
}

describe('a selection', () => {
  const [book, category] = [resourceOf('book'), resourceOf('category')]

  test('of a whole record has its fields, what it owns, and summaries of related records', () => {
    expect(inWords(wholeRecord(book, ALL_FIELDS))).toBe(
      'title price isOut publisherId publisher[name] authors[name] cover[url] chapters[title editorId editor[name]] seriesId series[title about] tags[word]',
    )
  })

  test('of a state has only the ids of related records', () => {
    expect(inWords(stateOf(book, ALL_FIELDS))).toBe(
      'title price isOut publisherId authors[] cover[url] chapters[title editorId] seriesId tags[]',
    )
  })

  test('of ids has nothing but what the record owns', () => {
    expect(inWords(idsOf(book))).toBe('cover[] chapters[]')
  })

  test('of a tree has all records below in one list', () => {
    expect(inWords(wholeRecord(category, ALL_FIELDS))).toBe('name categories[all below: name categories[]]')
    expect(inWords(idsOf(category))).toBe('categories[all below: categories[]]')
  })

  test('is frozen, and built once for each resource', () => {
    const whole = wholeRecord(book, ALL_FIELDS)
    expect(wholeRecord(book, ALL_FIELDS)).toBe(whole)
    expect(wholeRecord(category, ALL_FIELDS)).not.toBe(whole)
    for (const part of [whole, whole.properties, ...whole.properties]) expect(Object.isFrozen(part)).toBe(true)
  })
})
