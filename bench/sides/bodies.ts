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

export const noRecord = (id: number): Error => httpError(404, `there is no parent ${id}`)

export const notItsChild = (): Error => httpError(400, 'a child is not one of this parent')

/** The children of a PUT that are there already, by id, and the new ones. */
export function splitChildren({ children = [] }: ReplaceBody): { listed: Child[]; added: NewChild[] } {
  const listed: Child[] = []
  const added: NewChild[] = []
  for (const { id, name, quantity } of children) {
    if (id === undefined) added.push({ name, quantity })
    else listed.push({ id, name, quantity })
  }
  if (new Set(listed.map((one) => one.id)).size < listed.length) throw httpError(400, 'a child is there twice')
  return { listed: listed.sort((a, b) => a.id - b.id), added }
}
