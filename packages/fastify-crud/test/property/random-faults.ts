import { Value } from '@sinclair/typebox/value'
import { listsOf, type Node, nodesOf } from './body-nodes.ts'
import { isObject, type Json, type JsonObject, own } from './json.ts'
import { type Maker, NO_ID } from './random-bodies.ts'
import { madeOf } from './random-fields.ts'
import { namesIn, type RefResource, resourceOf } from './reference-model.ts'
import { rowsOf } from './reference-store.ts'

/** Changes one place of a body so that it is wrong; does nothing where a body has no such place. */
type Fault = (maker: Maker, nodes: readonly Node[]) => void

const NOT_IDS: readonly Json[] = ['1', 1.5, null, true, '', {}, [], 0, -1, 2147483648, 1e30]
const NOT_RECORDS: readonly Json[] = [null, 5, 'x', []]
const NOT_LISTS: readonly Json[] = [null, {}, 'x', 5, [[]], [null], ['x']]

/** The body with something wrong in it: what cannot be done to this one is passed over. */
export function withFault(maker: Maker, resource: RefResource, body: JsonObject): Json {
  if (maker.tape.once(20)) return maker.tape.of(NOT_RECORDS) ?? null
  const before = JSON.stringify(body)
  const first = maker.tape.upTo(faults.length)
  for (const fault of [...faults.slice(first), ...faults.slice(0, first)]) {
    fault(maker, nodesOf(maker.model, resource, body))
    if (JSON.stringify(body) !== before) break
  }
  return body
}

const unknownProperty: Fault = ({ tape }, nodes) => {
  const node = tape.of(nodes)
  if (node === undefined) return
  const owners = node.resource.owners.flatMap(({ name }) => [name, `${name}Id`, `${name}Ref`])
  const name = tape.of(['nope', 'a/b~c', 'constructor', 'toString', 'Id', '', 'hasOwnProperty', ...owners]) ?? 'nope'
  node.body[name] = 1
}

const wrongValue: Fault = ({ tape }, nodes) => {
  const node = tape.of(nodes.filter(({ resource }) => resource.fields.length > 0))
  const field = tape.of(node?.resource.fields ?? [])
  if (node === undefined || field === undefined) return
  const { kind } = madeOf(field.schema)
  const mayBeNull = field.nullable || Value.Check(field.schema, null)
  node.body[field.name] = tape.of(mayBeNull ? kind.wrong : [...kind.wrong, null]) ?? null
}

const missing: Fault = ({ tape }, nodes) => {
  const node = tape.of(nodes)
  if (node === undefined) return
  const { fields, references, links, owns } = node.resource
  const name = tape.of([
    ...fields.filter(({ required }) => required).map((field) => field.name),
    ...references.filter(({ nullable }) => !nullable).map(({ foreignKey }) => foreignKey),
    ...links.filter(({ needs }) => needs).map((link) => link.name),
    ...owns.filter(({ required }) => required).map((one) => one.name),
  ])
  if (name !== undefined) delete node.body[name]
}

const wrongOwned: Fault = ({ tape }, nodes) => {
  const node = tape.of(nodes.filter(({ resource }) => resource.owns.length > 0))
  const owns = tape.of(node?.resource.owns ?? [])
  if (node === undefined || owns === undefined) return
  const wrong = owns.many ? NOT_LISTS : NOT_RECORDS.filter((value) => owns.required || value !== null)
  node.body[owns.name] = structuredClone(tape.of(wrong) ?? 5)
}

const wrongId: Fault = ({ tape }, nodes) => {
  const node = tape.of(nodes)
  if (node !== undefined) node.body.id = structuredClone(tape.of(NOT_IDS) ?? '1')
}

/** The id of another record, in the place of an owned one's: not there, deleted, another owner's, or one's own. */
const foreignId: Fault = ({ tape, state }, nodes) => {
  const node = tape.of(nodes)
  if (node === undefined) return
  // Its owner, which the path names, says what it is.
  if (node.resource.isOwnersId && node.within === undefined) return
  const rows = rowsOf(state, node.resource.key)
  const { sharesIds } = node.resource
  // Once a record has that id, it is another owner's.
  if (sharesIds && rows.has(NO_ID)) return
  const others = sharesIds ? [] : rows.keys()
  node.body.id = tape.of([NO_ID, ...others]) ?? NO_ID
}

const twice: Fault = ({ tape }, nodes) => {
  const links = nodes.flatMap(({ resource, body }) => {
    return resource.links.flatMap(({ name }) => [own(body, name)].filter((value) => Array.isArray(value)))
  })
  const lists = [...links, ...listsOf(nodes).map(({ list }) => list)].filter((list) => list.length > 0)
  const list = tape.of(lists)
  const element = tape.of(list ?? [])
  if (list !== undefined && element !== undefined) list.push(structuredClone(element))
}

/** A child with its id, listed under another owner as well. */
const elsewhere: Fault = ({ tape, model }, nodes) => {
  const to = tape.of(listsOf(nodes).filter(({ owns }) => !resourceOf(model, owns.target).sharesIds))
  const moved = tape.of(nodes.filter(({ within }) => within?.owns.target === to?.owns.target))
  if (to === undefined || moved === undefined || moved.within?.owner === to.node.body) return
  to.list.push(structuredClone(moved.body))
}

/** A place where there is none, or that names nothing. */
const wrongPlace: Fault = ({ tape }, nodes) => {
  const placed = nodes.filter(({ resource }) => resource.isPlaced)
  const node = tape.of(placed.length > 0 && !tape.once(5) ? placed : nodes)
  if (node !== undefined) node.body.$before = structuredClone(tape.of([NO_ID, ...NOT_IDS]) ?? NO_ID)
}

/** The same of a link. */
const wrongPlaceOfLink: Fault = ({ tape }, nodes) => {
  const all = nodes.flatMap(({ resource, body }) => {
    return resource.links.flatMap(({ name }) => [own(body, name)].filter((value) => Array.isArray(value)))
  })
  const element = tape.of(
    all
      .flat()
      .filter(isObject)
      .filter(({ $remove }) => $remove === undefined),
  )
  if (element !== undefined) element.$before = structuredClone(tape.of([NO_ID, ...NOT_IDS]) ?? NO_ID)
}

const wrongReference: Fault = ({ tape }, nodes) => {
  const node = tape.of(nodes.filter(({ resource }) => resource.references.length > 0))
  const reference = tape.of(node?.resource.references ?? [])
  if (node === undefined || reference === undefined) return
  const wrong = [NO_ID, NO_ID, ...NOT_IDS.filter((value) => !reference.nullable || value !== null)]
  node.body[reference.foreignKey] = structuredClone(tape.of(wrong) ?? NO_ID)
}

/** A nested record without its foreign key that is another one, or none, or what is no record at all. */
const wrongNested: Fault = ({ tape, state }, nodes) => {
  const node = tape.of(nodes.filter(({ resource }) => resource.references.length > 0))
  const reference = tape.of(node?.resource.references ?? [])
  if (node === undefined || reference === undefined) return
  const others = [...rowsOf(state, reference.target).keys()].map((id) => ({ id }))
  node.body[reference.name] = tape.of<Json>([{ id: NO_ID }, null, {}, { id: null }, 5, [], ...others]) ?? null
  if (!tape.once(4)) delete node.body[reference.foreignKey]
}

const wrongLink: Fault = ({ tape }, nodes) => {
  const node = tape.of(nodes.filter(({ resource }) => resource.links.length > 0))
  const link = tape.of(node?.resource.links ?? [])
  if (node === undefined || link === undefined) return
  const before = own(node.body, link.name)
  const elements = Array.isArray(before) ? before : []
  const notAnId = tape.of(NOT_IDS) ?? null
  const wrong: Json =
    structuredClone(
      tape.of<Json>([
        [...elements, { id: NO_ID }],
        [...elements, { id: notAnId }],
        [...elements, 5],
        [{}],
        [null],
        5,
        null,
      ]),
    ) ?? null
  node.body[link.name] = link.needs && tape.once(4) ? [] : wrong
}

/** A value that another record holds, whether it must be unique or not. */
const takenValue: Fault = ({ tape, state }, nodes) => {
  const node = tape.of(nodes.filter(({ resource }) => resource.uniques.length > 0))
  const other = node && tape.of([...rowsOf(state, node.resource.key).values()])
  if (node === undefined || other === undefined) return
  const unique = tape.of(node.resource.uniques)
  for (const name of unique === undefined ? [] : namesIn(unique)) {
    const key = node.resource.references.find((reference) => reference.name === name)?.foreignKey ?? name
    const value = other.values[key]
    if (value !== undefined) node.body[key] = value
  }
}

const faults: readonly Fault[] = [
  elsewhere,
  foreignId,
  unknownProperty,
  wrongReference,
  wrongNested,
  wrongLink,
  takenValue,
  missing,
  wrongPlace,
  wrongPlaceOfLink,
  wrongOwned,
  twice,
  wrongValue,
  wrongId,
]
