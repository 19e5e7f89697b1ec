import { resourceOf } from '../property/reference-model.ts'
import type { Tape } from '../property/tape.ts'
import type { Feature } from './features.ts'
import { filterMistakes } from './filter-mistakes.ts'
import { type BrokenQuery, inBrackets, inJson, type Mistake } from './mistake.ts'
import { queryMistakes } from './query-mistakes.ts'
import { textOfPairs } from './query-text.ts'
import { type ReadingModel, type ReadingResource, readingResourceOf } from './reading-model.ts'
import { selectionMistakes } from './selection-mistakes.ts'

/** A query of the resource's list that is not valid. */
export function brokenQuery(
  model: ReadingModel,
  resource: ReadingResource,
  tape: Tape,
  features: ReadonlySet<Feature>,
): BrokenQuery {
  const possible = [...mistakes, ...selectionMistakes(features)]
  const found = (tape.of(possible) ?? unknownField)(resource, tape, model)
  return found ?? unknownField(resource, tape, model)
}

/** Fields that are like those that do not exist. */
function hiddenFields(model: ReadingModel, key: string): string[] {
  const { fields, computed } = readingResourceOf(model, key)
  const all = [...resourceOf(model.records, key).fields, ...computed]
  return all.map(({ name }) => name).filter((name) => !fields.some((field) => field.name === name))
}

function unknownField({ key }: ReadingResource, tape: Tape, model: ReadingModel): BrokenQuery {
  const hidden = hiddenFields(model, key)
  const name =
    tape.of(['nope', 'constructor', '__proto__', 'toString', 'ID', 'id.id', 'length', ...hidden, ...hidden]) ?? ''
  const unknown = name.split('.').at(-1)
  switch (tape.upTo(3)) {
    case 0:
      return inBrackets(`filter[${name}]`, 'x', unknown)
    case 1:
      return { text: textOfPairs([['sort', tape.once(2) ? `-${name}` : name]]), names: unknown }
    default:
      // As text: an object literal would take `__proto__` for its prototype.
      return { text: textOfPairs([['filter', `{"${name}":{"null":true}}`]]), names: unknown }
  }
}

const unknownBehindRelation: Mistake = ({ relations }, tape, model) => {
  const relation = tape.of(relations)
  if (relation === undefined) return undefined
  const { key } = readingResourceOf(model, relation.target)
  const name = tape.of([...hiddenFields(model, key), 'nope']) ?? 'nope'
  return tape.once(2)
    ? inBrackets(`filter[${relation.name}.${name}][null]`, 'true', name)
    : inJson({ [`${relation.name}.${name}`]: { ne: 1 } }, name)
}

const mistakes: readonly Mistake[] = [unknownField, unknownBehindRelation, ...filterMistakes, ...queryMistakes]
