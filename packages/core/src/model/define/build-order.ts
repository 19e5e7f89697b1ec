import type { ModelProblem } from '../../errors.ts'
import type { RelationDeclaration } from '../descriptors/relations.ts'
import type { Field, Owns, Property } from '../model.ts'
import { otherEnd } from '../resource-tree.ts'
import { fieldCheck } from '../values/field-check.ts'
import { ORDER_NUMBER } from '../values/storage.ts'
import { buildingOf, type ResourceDraft, unseenField } from './resource-draft.ts'

const checkNumber = fieldCheck(ORDER_NUMBER, 'integer')

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Gives the arrays that keep their order the numbers of their elements. Both ends of all relations are built. */
export function buildOrder(draft: ResourceDraft, problems: ModelProblem[]): void {
  for (const owns of draft.owns as Mutable<Owns>[]) {
    const name = orderOf(buildingOf(draft).descriptor.relations?.[owns.name])
    if (name === undefined) continue
    const refuse = (message: string) =>
      problems.push({ place: `${draft.key}.relations.${owns.name}`, message: `order: ${message}` })
    const problem = problemOfName(owns.target as ResourceDraft, name)
    if (problem === undefined) owns.order = numbersOf(owns.target as ResourceDraft, name)
    else refuse(problem)
  }
  for (const link of draft.links) {
    const { order, name, fromColumn, toColumn } = link
    const refuse = (what: string) =>
      problems.push({ place: `${draft.key}.relations.${name}`, message: `order: '${order}' is ${what}` })
    const isSame = (column: string | undefined) => order !== undefined && column?.toLowerCase() === order.toLowerCase()
    if (isSame(fromColumn) || isSame(toColumn)) refuse('the column of an id')
    else if (isSame(otherEnd(link)?.order))
      refuse('the column for the order at the other end, which has one of its own')
  }
}

function orderOf(declaration: RelationDeclaration | undefined): string | undefined {
  const order = declaration?.relation === 'owns.many' ? declaration.options.order : undefined
  // What is no name was refused already.
  return typeof order === 'string' ? order : undefined
}

function problemOfName(target: ResourceDraft, name: string): string | undefined {
  if (!target.isWritable) return `no request writes the numbers of ${target.key}`
  const known = target.members.find((member) => member.property === name)
  if (known === undefined) return target.names.has(name) ? `'${name}' of ${target.key} is no integer field` : undefined
  if (known.kind !== 'field' || known.storage !== 'integer') return `'${name}' of ${target.key} is no integer field`
  const { id } = buildingOf(target).descriptor
  if (Array.isArray(id) && id.includes(name))
    return `'${name}' is a part of the id of ${target.key}, which never changes`
  if (known.keepsOrder) return undefined
  const isGiven = known.readOnly && known.default === undefined && !known.hasDbDefault
  if (!isGiven) return `'${name}' of ${target.key} must be readOnly and have no default: the service gives the numbers`
  const mayLack = target.ownedBy.length > 1 || target.ownedBy.some(({ nullable }) => nullable)
  return mayLack && !known.nullable
    ? `'${name}' of ${target.key} must be optional: not every record has one`
    : undefined
}

/** The field with the name, from now on one that only the service sets; if there is none, one that nobody sees. */
function numbersOf(target: ResourceDraft, name: string): Field {
  const known = target.members.find((member) => member.property === name)
  if (known?.kind === 'field') return known.keepsOrder ? known : asNumbers(target, known)
  const position = target.members.length
  const numbers = { schema: ORDER_NUMBER, storage: 'integer', check: checkNumber, keepsOrder: true, position } as const
  const field = unseenField(target, name, numbers)
  target.members.push(field)
  return field
}

function asNumbers(target: ResourceDraft, known: Field): Field {
  const field: Field = Object.freeze({ ...known, required: false, setByRule: true, keepsOrder: true })
  const isKnown = (one: Property) => one === known
  target.fields[target.fields.indexOf(known)] = field
  target.members[field.position] = field
  target.properties[target.properties.findIndex(isKnown)] = field
  target.names.set(field.name, { is: 'field', field })
  return field
}
