import type { Feature } from './features.ts'
import { type BrokenQuery, fieldOf, type Mistake } from './mistake.ts'
import { type Pair, textOfPairs } from './query-text.ts'
import { readingResourceOf } from './reading-model.ts'

function broken(pairs: readonly Pair[], names: string): BrokenQuery {
  return { text: textOfPairs(pairs), names }
}

const wrongFields: Mistake = (resource, tape) => {
  const field = fieldOf(resource, tape)
  const wrong = [
    '',
    'id,',
    '-id',
    '*',
    'lower(id)',
    'count(id)',
    'count()',
    'id,id',
    `${field}.x.y`,
    ` ${field}`,
    'partial',
  ]
  return broken([['fields', tape.of(wrong) ?? '']], 'fields')
}

const wrongInclude: Mistake = ({ relations }, tape) => {
  const relation = tape.of(relations)
  const carried = relation?.isDefault === true ? [relation.name] : []
  const others = relation?.isDefault === false ? [`-${relation.name}`] : []
  const twice = relation === undefined ? [] : [`${relation.name},${relation.name}`]
  const both = carried.flatMap((name) => [`${name},-${name}`, `-${name},-${name}`])
  const wrong = ['', '-', 'id', '-id', 'nope', '--x', '*', ...others, ...twice, ...both]
  return broken([['include', tape.of(wrong) ?? '']], 'include')
}

const tooDeep: Mistake = (start, tape, model) => {
  const names: string[] = []
  let resource = start
  while (names.length < 4) {
    const relation = tape.of(resource.relations)
    if (relation === undefined) return undefined
    names.push(relation.name)
    resource = readingResourceOf(model, relation.target)
  }
  return broken([['include', names.join('.')]], 'include')
}

const wrongNested: Mistake = ({ relations }, tape) => {
  const many = tape.of(relations.filter(({ isMany }) => isMany))
  if (many === undefined) return broken([['nested[nope][limit]', '1']], 'nope')
  const { name, isDefault } = many
  const include: Pair[] = isDefault ? [] : [['include', name]]
  const pair = tape.of<Pair>([
    [`nested[${name}][limit]`, '0'],
    [`nested[${name}][limit]`, '1001'],
    [`nested[${name}][limit]`, 'x'],
    [`nested[${name}][offset]`, '1'],
    [`nested[${name}][sort]`, 'nope'],
    [`nested[${name}][sort]`, ''],
    [`nested[${name}][filter]`, '{'],
    [`nested[${name}][filter]`, '{"nope":1}'],
    [`nested[${name}][filter]`, '{"or":[]}'],
    [`nested[${name}]`, '1'],
    [`nested[${name}.nope][limit]`, '1'],
  ])
  return pair && broken(tape.shuffled([...include, pair]), 'nested')
}

/** An array that is not in the answer, or no array. */
const nowhere: Mistake = ({ relations }, tape) => {
  const relation = tape.of(relations.filter(({ isMany, isDefault }) => !isMany || !isDefault))
  return relation && broken([[`nested[${relation.name}][limit]`, '1']], relation.name)
}

const mistakesIn: Readonly<Partial<Record<Feature, readonly Mistake[]>>> = {
  fields: [wrongFields],
  include: [wrongInclude, tooDeep],
  nested: [wrongNested, nowhere],
}

/** What may be wrong in what a query says of the contents of records. */
export function selectionMistakes(features: ReadonlySet<Feature>): readonly Mistake[] {
  return [...features].flatMap((feature) => mistakesIn[feature] ?? [])
}
