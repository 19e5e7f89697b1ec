import { withArticle } from '../../errors.ts'
import { didYouMean } from '../../model/check/suggest.ts'
import type { Resource } from '../../model/model.ts'
import type { SelectedProperty, Selection } from './selection.ts'
import { selection } from './selections.ts'

/** What the names in `reads` select of a record: `amount`, `lines.amount`. Adds to the problems what no record has. */
export function readSelection(
  resource: Resource,
  reads: readonly unknown[],
  place: string,
  problems: string[],
): Selection {
  const names = new Map<string, string[]>()
  for (const path of reads) {
    const text = String(path)
    const dot = text.indexOf('.')
    const name = dot < 0 ? text : text.slice(0, dot)
    const below = names.get(name) ?? []
    names.set(name, dot < 0 ? below : [...below, text.slice(dot + 1)])
  }
  const properties = [...names].flatMap(([name, below]) => select(resource, name, below, place, problems))
  return selection({ resource, ignoresPolicies: true, properties })
}

function select(
  resource: Resource,
  name: string,
  below: readonly string[],
  place: string,
  problems: string[],
): readonly SelectedProperty[] {
  if (name === 'id' && below.length === 0) return []
  const owns = resource.owns.find((one) => one.name === name)
  if (owns !== undefined) return [{ kind: 'owned', owns, records: readSelection(owns.target, below, place, problems) }]
  if (below.length > 0) {
    const owned = resource.owns.map((one) => one.name)
    problems.push(`${place}: ${withArticle(resource.key)} owns nothing through '${name}'${didYouMean(name, owned)}`)
    return []
  }
  const field = resource.fields.find((one) => one.name === name)
  if (field !== undefined) return [{ kind: 'field', field }]
  const computed = resource.computed.find((one) => one.name === name)
  if (computed !== undefined) return [{ kind: 'computed', computed }]
  const reference = resource.references.find(({ foreignKey }) => foreignKey === name)
  if (reference !== undefined) return [{ kind: 'foreignKey', reference }]
  const link = resource.links.find((one) => one.name === name)
  if (link !== undefined) return [{ kind: 'link', link, records: undefined }]
  const known = [...resource.fields, ...resource.computed, ...resource.owns, ...resource.links].map((one) => one.name)
  const keys = resource.references.map(({ foreignKey }) => foreignKey)
  problems.push(`${place}: ${resource.key} has no '${name}' to read${didYouMean(name, [...known, ...keys])}`)
  return []
}
