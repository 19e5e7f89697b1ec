import { type Static, Type } from '@sinclair/typebox'

// The schemas, types and errors of the services by hand.

const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const fields = {
  name: Type.String(),
  quantity: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
}
const onlyThese = { additionalProperties: false }
const newChildren = Type.Optional(Type.Array(Type.Object(fields, onlyThese)))
const children = Type.Optional(Type.Array(Type.Object({ id: Type.Optional(id), ...fields }, onlyThese)))

export const parent = Type.Object({ id, ...fields, children: Type.Array(Type.Object({ id, ...fields })) })
export const createBody = Type.Object({ ...fields, children: newChildren }, onlyThese)
export const replaceBody = Type.Object({ id: Type.Optional(id), ...fields, children }, onlyThese)
export const patchBody = Type.Partial(Type.Object({ id, ...fields }), onlyThese)

export type Parent = Static<typeof parent>
export type Child = Parent['children'][number]
export type NewChild = Omit<Child, 'id'>
export type CreateBody = Static<typeof createBody>
export type ReplaceBody = Static<typeof replaceBody>
export type PatchBody = Static<typeof patchBody>

/** An error that Fastify answers with that status. */
export const httpError = (statusCode: number, message: string): Error =>
  Object.assign(new Error(message), { statusCode })

export const notItsChild = (): Error => httpError(400, 'a child is not one of this parent')

/** The body of a PUT, with the children that are there already, by id, apart from the new ones. */
export type SplitBody = NewChild & { listed: readonly Child[]; added: readonly NewChild[] }

export function splitChildren({ name, quantity, children = [] }: ReplaceBody): SplitBody {
  const listed = children.filter((child): child is Child => child.id !== undefined)
  const added = children.filter((child) => child.id === undefined)
  if (new Set(listed.map((one) => one.id)).size < listed.length) throw httpError(400, 'a child is there twice')
  return { name, quantity, listed: listed.sort((a, b) => a.id - b.id), added }
}
