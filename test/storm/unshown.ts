import { isDeepStrictEqual } from 'node:util'
import type { Model } from '@fastify-crud/core'
import { resourceOf } from '@fastify-crud/core/internal'
import type { JsonBody } from '../support/json-body.ts'

/** Each place where the answer of a write shows another value of a field than its body set, with both values. */
export function unshownOf(model: Model, resource: string, body: JsonBody, answer: JsonBody): string[] {
  const unshown: string[] = []
  const walk = (at: string, set: JsonBody, shown: JsonBody, pointer: string): void => {
    const { fields, owns } = resourceOf(model, at)
    for (const { name, readOnly } of fields) {
      // What is added to something has another result for each who adds.
      if (set[name]?.$add !== undefined) continue
      if (!readOnly && name in set && !isDeepStrictEqual(set[name], shown[name])) {
        unshown.push(`${pointer}/${name}: ${JSON.stringify(shown[name])} instead of ${JSON.stringify(set[name])}`)
      }
    }
    for (const { name, many, target } of owns) {
      const below = set[name]
      if (below === undefined) continue
      if (many) walkElements(target.key, below, shown[name], `${pointer}/${name}`)
      else if (below !== null && shown[name] !== null) walk(target.key, below, shown[name], `${pointer}/${name}`)
      else if (below !== shown[name]) unshown.push(`${pointer}/${name}: ${JSON.stringify(shown[name])}`)
    }
  }
  const walkElements = (at: string, set: JsonBody[], shown: JsonBody[], pointer: string): void => {
    const listed = new Set(set.map(({ id }) => id))
    const added = shown.filter(({ id }) => !listed.has(id))
    for (const [index, element] of set.entries()) {
      const found = shown.find(({ id }) => id === element.id)
      if (element.$remove === true) {
        if (found !== undefined) unshown.push(`${pointer}/${index}: is there`)
        continue
      }
      const isShown = (one: JsonBody) => unshownOf(model, at, element, one).length === 0
      if (found !== undefined) walk(at, element, found, `${pointer}/${index}`)
      else if (element.id !== undefined || !added.some(isShown)) unshown.push(`${pointer}/${index}: is not there`)
    }
  }
  walk(resource, body, answer, '')
  return unshown
}
