import { type RelationModel, type ResourceModel, resourceNamed, type ServiceModel } from '../service-model.ts'
import { elementsOf, type FormValues, idOf, isValues, placesOf } from './array-places.ts'
import { idsNameOf, isLinks, linksOfIds, relationIn } from './link-ids.ts'

// A form has a whole record, and a body has what the user has changed: nothing else is written, so that nothing else is
// undone that others have done.

type Body = Record<string, unknown>

/** What a form sends. */
export interface FormBody {
  readonly body: Readonly<Body>
  /** Where the form has what a pointer into the body leads to: `chapters.2.title`. */
  inputAt(pointer: string): string
}

/**
 * A record as forms have it: beside each array of links, such as `authors`, it has their ids, as `authorsIds`, which
 * inputs that choose by ids need.
 */
export function formRecord(model: ServiceModel, key: string, record: FormValues): Body {
  const resource = resourceNamed(model, key)
  const shown: Body = { ...record }
  for (const [name, value] of Object.entries(record)) {
    const relation = relationIn(resource, name)
    if (relation === undefined) continue
    const { target, kind } = relation
    const idsName = idsNameOf(resource, name)
    if (isLinks(relation) && Array.isArray(value) && idsName !== undefined) shown[idsName] = value.map(idOf)
    if (!kind.startsWith('owns')) continue
    if (Array.isArray(value)) shown[name] = value.map((one) => formRecord(model, target, one))
    else if (isValues(value)) shown[name] = formRecord(model, target, value)
  }
  return shown
}

/** The body of a PATCH that makes of the record `base` what the form has. */
export function changesOf(model: ServiceModel, key: string, base: FormValues, form: FormValues): FormBody {
  return withBody(model, form, (reader, plain) => reader.changes(key, toPlain(base), plain, ''))
}

/** The body that creates what the form has. What it has of another record, such as ids of chapters, is left out. */
export function newBody(model: ServiceModel, key: string, form: FormValues): FormBody {
  return withBody(model, form, (reader, plain) => reader.added(key, plain, ''))
}

/** Whether a form has values that only say what is changed beside the record as it was: arrays, and what is owned. */
export function needsBase(model: ServiceModel, key: string, form: FormValues): boolean {
  const resource = resourceNamed(model, key)
  return Object.keys(form).some((name) => {
    const relation = relationIn(resource, name) ?? linksOfIds(resource, name)?.relation
    return relation !== undefined && (isLinks(relation) || relation.kind.startsWith('owns'))
  })
}

/** The names of inputs that a form has values for. An error elsewhere would stay, and keep the form from being sent. */
export function inputsOf(form: FormValues): ReadonlySet<string> {
  return new Set(Object.keys(form))
}

function withBody(
  model: ServiceModel,
  form: FormValues,
  read: (reader: BodyReader, plain: FormValues) => Body,
): FormBody {
  const inputs = new WeakMap<object, string>()
  const plain = toPlain(form)
  const body = read(bodyReader(model, inputs), plain)
  return { body, inputAt: (pointer) => inputAt(body, inputs, plain, pointer) }
}

interface BodyReader {
  changes(key: string, base: FormValues, form: FormValues, input: string): Body
  added(key: string, form: FormValues, input: string): Body
}

/** Reads forms. `inputs`: where the form has each object of the body that stands elsewhere in it. */
function bodyReader(model: ServiceModel, inputs: WeakMap<object, string>): BodyReader {
  const changes: BodyReader['changes'] = (key, base, form, input) => {
    const resource = resourceNamed(model, key)
    const body: Body = {}
    for (const [name, value] of Object.entries(form)) {
      const at = joined(input, name)
      const relation = relationIn(resource, name)
      if (isLeftOut(resource, name) || linksOfIds(resource, name) !== undefined) continue
      if (relation === undefined) {
        // What the record does not show, an empty input does not clear.
        const isUnseen = !Object.hasOwn(base, name) && value === null
        if (!isUnseen && !isEqual(value, base[name])) body[name] = value
      } else if (relation.kind === 'owns.one') {
        const one = changedOne(relation, base[name], value, at)
        if (one !== undefined) body[name] = one
      } else if (relation.kind === 'owns.many') {
        const changed = changedMany(relation, base[name], value, at)
        if (changed.length > 0) body[name] = changed
      }
    }
    for (const [name, relation] of Object.entries(resource.relations)) {
      const changed = isLinks(relation) ? changedLinks(resource, name, relation, base, form, input) : []
      if (changed.length > 0) body[name] = changed
    }
    inputs.set(body, input)
    return body
  }

  const added: BodyReader['added'] = (key, form, input) => {
    const resource = resourceNamed(model, key)
    const body: Body = {}
    for (const [name, value] of Object.entries(form)) {
      const relation = relationIn(resource, name)
      // An input that nobody has filled: the service knows the default.
      if (value === null || isLeftOut(resource, name) || linksOfIds(resource, name) !== undefined) continue
      const at = joined(input, name)
      if (relation === undefined) body[name] = value
      else if (relation.kind === 'owns.one' && isValues(value)) body[name] = added(relation.target, value, at)
      else if (relation.kind === 'owns.many' && Array.isArray(value))
        body[name] = value.map((one, index) => added(relation.target, one, `${at}.${index}`))
    }
    for (const [name, relation] of Object.entries(resource.relations)) {
      const links = isLinks(relation) ? linksIn(resource, name, form, input) : undefined
      if (links !== undefined) body[name] = links.ids.map((id, index) => marked({ id }, links.at(index)))
    }
    if (form.id !== undefined && form.id !== null && resource.id?.assignedBy === 'client') body.id = form.id
    inputs.set(body, input)
    return body
  }

  const marked = <T extends object>(element: T, input: string): T => {
    inputs.set(element, input)
    return element
  }

  const changedOne = ({ target }: RelationModel, base: unknown, value: unknown, at: string): unknown => {
    if (!isValues(value)) return isValues(base) ? null : undefined
    if (!isValues(base)) return added(target, value, at)
    const body = changes(target, base, value, at)
    return Object.keys(body).length > 0 ? body : undefined
  }

  const changedMany = (relation: RelationModel, base: unknown, value: unknown, at: string): Body[] => {
    const { target, ordered } = relation
    const { id } = resourceNamed(model, target)
    const before = new Map(elementsOf(base).map((one) => [String(one.id), one]))
    const after = elementsOf(value).map((form, index) => {
      const old = form.id === undefined ? undefined : before.get(String(form.id))
      // A part of an id never changes: it is another record.
      const isOther = old && id?.members?.some((name) => form[name] !== undefined && !isEqual(form[name], old[name]))
      if (old === undefined && form.id !== undefined && form.id !== null) {
        const body = changes(target, {}, form, `${at}.${index}`)
        return { id: form.id, body: marked({ id: form.id, ...body }, `${at}.${index}`) }
      }
      if (old === undefined || isOther) return { id: undefined, body: added(target, form, `${at}.${index}`) }
      const body = changes(target, old, form, `${at}.${index}`)
      return { id: old.id, body: marked({ id: old.id, ...body }, `${at}.${index}`) }
    })
    return elementsOfPatch([...before.values()].map(idOf), after, ordered === true, at)
  }

  const changedLinks = (
    resource: ResourceModel,
    name: string,
    { ordered }: RelationModel,
    base: FormValues,
    form: FormValues,
    input: string,
  ): Body[] => {
    const before = elementsOf(base[name]).map(idOf)
    const chosen = linksIn(resource, name, form, input, before)
    if (chosen === undefined) return []
    const after = chosen.ids.map((id, index) => {
      const isNew = !before.some((one) => isEqual(one, id))
      return { id: isNew ? undefined : id, body: marked<Body>({ id }, chosen.at(index)) }
    })
    return elementsOfPatch(before, after, ordered === true, chosen.array)
  }

  /** The elements of an array that a PATCH needs: those that go, those that changed or moved, and new ones. */
  const elementsOfPatch = (
    before: readonly unknown[],
    after: readonly { readonly id: unknown; readonly body: Body }[],
    isOrdered: boolean,
    at: string,
  ): Body[] => {
    const kept = new Set(after.map(({ id }) => String(id)))
    const gone = before.filter((id) => !kept.has(String(id))).map((id) => marked<Body>({ id, $remove: true }, at))
    const places = isOrdered
      ? placesOf(
          before,
          after.map(({ id }) => id),
        )
      : []
    const others = after.flatMap(({ id, body }, index) => {
      const place = places[index]
      if (place !== undefined) body.$before = place
      return id !== undefined && Object.keys(body).length === 1 ? [] : [body]
    })
    return [...gone, ...others]
  }

  return { changes, added }
}

/** The ids that a form chooses for a relation, by its ids or by its records. */
interface ChosenLinks {
  readonly ids: readonly unknown[]
  readonly array: string
  at(index: number): string
}

/** What a form has of links: the input that has changed, of the two that may have them. */
function linksIn(
  resource: ResourceModel,
  name: string,
  form: FormValues,
  input: string,
  before?: readonly unknown[],
): ChosenLinks | undefined {
  const idsName = idsNameOf(resource, name)
  if (idsName !== undefined && form[idsName] !== undefined) {
    const ids = [form[idsName] ?? []].flat()
    const at = joined(input, idsName)
    if (before === undefined || !isEqual(ids, before)) return { ids, array: at, at: () => at }
  }
  if (form[name] === undefined) return undefined
  const at = joined(input, name)
  return { ids: elementsOf(form[name]).map(idOf), array: at, at: (index) => `${at}.${index}` }
}

/** What no form changes: what the service computes or sets, and records that only belong to others. */
function isLeftOut(resource: ResourceModel, name: string): boolean {
  const { fields } = resource
  if (Object.hasOwn(fields, name)) return fields[name]?.readOnly === true || fields[name]?.computed === true
  const relation = relationIn(resource, name)
  if (relation === undefined) return ['id', '$etag', 'partial'].includes(name)
  return relation.readOnly === true || !relation.kind.startsWith('owns')
}

/** The name of the input that a pointer leads to. An array of a body has fewer elements than that of its form. */
function inputAt(body: Body, inputs: WeakMap<object, string>, form: FormValues, pointer: string): string {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  let node: unknown = body
  let input = ''
  for (const step of steps) {
    const isOfElement = Array.isArray(node) || !Object.hasOwn(Object(node), step)
    node = (node as Body | undefined)?.[step]
    const known = typeof node === 'object' && node !== null ? inputs.get(node) : undefined
    if (known !== undefined) input = known
    else if (!(isOfElement && step.startsWith('$')) && !(step === 'id' && input !== '')) input = joined(input, step)
  }
  const ids = `${input}Ids`
  return !Object.hasOwn(form, input) && Object.hasOwn(form, ids) ? ids : input
}

function joined(input: string, name: string): string {
  return input === '' ? name : `${input}.${name}`
}

/** As JSON has it: moments as texts, and nothing that is undefined. */
function toPlain(values: FormValues): FormValues {
  return JSON.parse(JSON.stringify(values))
}

function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  const names = Object.keys(one)
  if (Array.isArray(one) !== Array.isArray(other) || names.length !== Object.keys(other).length) return false
  return names.every((name) => Object.hasOwn(other, name) && isEqual((one as Body)[name], (other as Body)[name]))
}
