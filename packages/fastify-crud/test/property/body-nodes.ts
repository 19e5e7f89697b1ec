import { isObject, type Json, type JsonObject, own } from './json.ts'
import { type RefModel, type RefOwns, type RefResource, resourceOf } from './reference-model.ts'

/** A record's part of a body: the body itself, or what stands for an owned record. */
export interface Node {
  readonly resource: RefResource
  readonly body: JsonObject
  /** `undefined` for the body itself. */
  readonly within: { readonly owner: JsonObject; readonly owns: RefOwns } | undefined
}

/** All the records of a body, owners before what they own. */
export function nodesOf(model: RefModel, resource: RefResource, body: Json): Node[] {
  if (!isObject(body)) return []
  return [{ resource, body, within: undefined }, ...ownedNodes(model, resource, body)]
}

function ownedNodes(model: RefModel, resource: RefResource, body: JsonObject): Node[] {
  return resource.owns.flatMap((owns) => {
    const target = resourceOf(model, owns.target)
    const value = own(body, owns.name)
    const children = Array.isArray(value) ? value : [value ?? null]
    return children.filter(isObject).flatMap((child) => {
      return [{ resource: target, body: child, within: { owner: body, owns } }, ...ownedNodes(model, target, child)]
    })
  })
}

/** The arrays of owned records in a body. */
export function listsOf(nodes: readonly Node[]): { node: Node; owns: RefOwns; list: Json[] }[] {
  return nodes.flatMap((node) =>
    node.resource.owns.flatMap((owns) => {
      const list = own(node.body, owns.name)
      return owns.many && Array.isArray(list) ? [{ node, owns, list }] : []
    }),
  )
}
