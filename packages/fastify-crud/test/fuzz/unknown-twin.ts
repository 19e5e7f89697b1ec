import type { Resource } from '@fastify-crud/core/internal'
import type { Model } from 'fastify-crud'
import { type Caller, mayDo } from './callers.ts'
import type { FuzzedRequest } from './random-request.ts'
import { allRelationsOf } from './relations-of.ts'
import { seesField } from './sight.ts'

/** A request, and how an answer to it reads with the names of the original. */
export interface UnknownTwin {
  readonly request: FuzzedRequest
  withOriginalNames(text: string): string
}

/**
 * The same request with names that nothing has, in place of those of fields and relations that the caller does not see.
 * Undefined if its query has none. A refusal has to be the same for both, but for what it suggests.
 */
export function unknownTwin(model: Model, request: FuzzedRequest): UnknownTwin | undefined {
  const [path, query = ''] = request.url.split('?', 2)
  const names = hiddenNames(model, request.caller).map((name, index) => [name, unknownName(name, index)] as const)
  const replaced = names.reduce((text, [name, unknown]) => text.replaceAll(wholeName(name), unknown), query)
  if (replaced === query) return undefined
  return {
    request: { ...request, url: `${path}?${replaced}` },
    withOriginalNames: (text) => names.reduce((all, [name, unknown]) => all.replaceAll(unknown, name), text),
  }
}

/** Without `; did you mean 'title'?`, and without the beginning of a name that an error cuts. */
export function withoutSuggestion(text: string): string {
  return text.replaceAll(/; did you mean '[^']*'\?/g, '').replaceAll(/\w*…/g, '…')
}

/** The names that only things have which the caller does not see. */
export function hiddenNames(model: Model, caller: Caller): string[] {
  const resources = [...model.resources.values()]
  const seen = new Set(resources.flatMap((resource) => seenNames(resource, caller)))
  const all = new Set(
    resources.flatMap((resource) => [...resource.fields.map(nameOf), ...allRelationsOf(resource).map(nameOf)]),
  )
  return [...all].filter((name) => !seen.has(name))
}

function seenNames(resource: Resource, caller: Caller): string[] {
  const fields = resource.fields.filter((field) => seesField(caller, field))
  const inside = fields.flatMap(({ schema }) => Object.keys((schema.properties ?? {}) as object))
  const related = allRelationsOf(resource).filter(({ target }) => mayDo(caller, 'View', target.key))
  return [resource.route, ...fields.map(nameOf), ...inside, ...related.map(nameOf)]
}

function nameOf({ name }: { readonly name: string }): string {
  return name
}

/** As long as the name, as an error shortens long ones. */
function unknownName(name: string, index: number): string {
  return `j${String(index).padStart(2, '0')}`.padEnd(name.length, 'j')
}

/** The letters before it may be those of an encoded character. */
function wholeName(name: string): RegExp {
  return new RegExp(`(?<=^|\\W|%[0-9A-Fa-f]{2})${name}(?!\\w)`, 'g')
}
