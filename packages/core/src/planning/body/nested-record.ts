import { type Problem, shortened, withArticle } from '../../errors.ts'
import type { FieldRights } from '../../model/field-rights.ts'
import { isObject } from '../../model/is-object.ts'
import type { Link, Owns, Reference, Resource } from '../../model/model.ts'
import { heldId, type RecordData } from '../rows.ts'
import type { Draft } from './draft.ts'
import { AN_OBJECT, pointerTo } from './faults.ts'

/** Checks the shape of a reference's nested record. The record is read-only, so its values do not matter. */
export function readNestedRecord(
  { name, target }: Reference,
  value: unknown,
  parent: Draft,
  problems: Problem[],
): void {
  if (value === null) return
  const pointer = pointerTo(parent.pointer, name)
  if (isObject(value)) checkSummary(target, value, pointer, parent.reading.fieldRights, problems)
  else problems.push({ pointer, message: `must be ${withArticle(target.key)} or null; it is read-only`, ...AN_OBJECT })
}

/** A related record that is not owned has an id and fields that can be shown, but no relations. */
export function checkSummary(
  target: Resource,
  value: Readonly<Record<string, unknown>>,
  pointer: string,
  { sees }: FieldRights,
  problems: Problem[],
): void {
  for (const name of Object.keys(value)) {
    const meaning = target.names.get(name)
    if (
      name === 'id' ||
      isMark(name, value) ||
      (meaning?.is === 'computed' && sees(meaning.computed)) ||
      (meaning?.is === 'field' && sees(meaning.field))
    )
      continue
    problems.push({
      pointer: pointerTo(pointer, name),
      message: `a related ${target.key} shows its id and its fields, not '${shortened(name)}'`,
      keyword: 'additionalProperties',
      params: { additionalProperty: shortened(name) },
    })
  }
}

/** Whether the property is the mark of a related record that `fields` has cut. No field has its name. */
function isMark(name: string, value: Readonly<Record<string, unknown>>): boolean {
  return name === 'partial' && value.partial === true
}

/** The nested record of a reference whose foreign key is not in the body; undefined if there is none. */
export function nestedWithoutKey({ body }: Draft, { name, foreignKey }: Reference): unknown {
  return valueIn(body, foreignKey) === undefined ? valueIn(body, name) : undefined
}

function valueIn(body: Draft['body'], property: string): unknown {
  return Object.hasOwn(body, property) ? body[property] : undefined
}

/** POST and PUT without the foreign key set it to null. A nested record would be dropped silently, so it is refused. */
export function refuseNestedInWhole(reference: Reference, draft: Draft, problems: Problem[]): void {
  const { foreignKey } = reference
  if (!isObject(nestedWithoutKey(draft, reference))) return
  refuseNested(reference, draft, `which is missing: send ${foreignKey}, or`, problems)
}

/**
 * A request that does not change the foreign key, as a PATCH without it or a PUT where a rule gives it: a nested record
 * must be the one that it names. A PUT may have null, as a record shows that the caller does not see.
 */
export function checkNestedAlone(reference: Reference, draft: Draft, record: RecordData, problems: Problem[]): void {
  const { foreignKey, target } = reference
  const nested = nestedWithoutKey(draft, reference)
  if (nested === undefined || (nested === null && draft.operation === 'replace')) return
  const present = heldId(record, reference)
  const isSame = isObject(nested) ? present !== null && target.id.fromJson(nested.id) === present : present === null
  if (isSame) return
  refuseNested(reference, draft, `which names another record or none: send ${foreignKey} to change it, or`, problems)
}

/** `why`: why it cannot stand without a foreign key that a body can set. */
function refuseNested(reference: Reference, { pointer }: Draft, why: string, problems: Problem[]): void {
  const { name, foreignKey, setByRule } = reference
  const message = `is set by ${foreignKey}, ${setByRule ? 'which is read-only:' : why} leave out ${name}`
  problems.push({ pointer: pointerTo(pointer, name), message, keyword: 'setBy', params: { foreignKey } })
}

/**
 * The relations that a body names, at any depth, or whose foreign keys it names. It looks at names alone, of a body
 * that may not fit: that is for `readBody` to say, which has to know first what the client may see.
 */
export function namedInBody(resource: Resource, body: unknown): ReadonlySet<Owns | Reference | Link> {
  const found = new Set<Owns | Reference | Link>()
  // Does not recurse: a body may be deep.
  const open: [Resource, unknown][] = [body].flat().map((one) => [resource, one])
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [of, value] = next
    if (!isObject(value)) continue
    for (const name of Object.keys(value)) {
      const meaning = of.names.get(name)
      if (meaning?.is === 'link') found.add(meaning.link)
      else if (meaning?.is === 'foreignKey') found.add(meaning.reference)
      else if (meaning?.is === 'owns') {
        found.add(meaning.owns)
        for (const child of [value[name]].flat()) open.push([meaning.owns.target, child])
      }
    }
  }
  return found
}

/** The relations that a PUT or PATCH names although records do not carry them by default: the stored ones have to be
 * known, too. */
export function namedBesides(draft: Draft): ReadonlySet<Owns | Link> {
  if (draft.resource.carriesAll) return NONE
  const found = new Set<Owns | Link>()
  // Does not recurse: a tree may be deep.
  const open: Draft[] = [draft]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { resource, operation, owned, links } = next
    // Nothing is stored of a new record.
    if (operation === 'create') continue
    for (const relation of resource.owns) {
      const children = owned[relation.position]
      if (children === undefined) continue
      if (!relation.carried) found.add(relation)
      for (const child of [children ?? []].flat() as readonly Draft[]) open.push(child)
    }
    for (const link of resource.links) if (!link.carried && links[link.position] !== undefined) found.add(link)
  }
  return found
}

const NONE: ReadonlySet<Owns | Link> = new Set()
