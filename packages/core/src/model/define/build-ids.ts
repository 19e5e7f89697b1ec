import { type ModelProblem, withArticle } from '../../errors.ts'
import { membersId } from '../ids/value-id.ts'
import type { Field, ForeignKey } from '../model.ts'
import { textFormat } from '../values/schema-facts.ts'
import { keyMembers, membersNamed } from './build-uniques.ts'
import { buildingOf, type ResourceDraft } from './resource-draft.ts'

type Drafts = ReadonlyMap<string, ResourceDraft>
type Members = readonly [Field | ForeignKey, ...(Field | ForeignKey)[]]

/** Gives resources the ids that their members make up. Their relations are built. */
export function buildIds(drafts: Drafts, problems: ModelProblem[]): void {
  const known = new Map<ResourceDraft, Members>()
  for (const draft of drafts.values()) {
    const members = declaredMembers(draft, drafts, problems)
    if (members !== undefined) known.set(draft, members)
  }
  const open = new Set<ResourceDraft>()
  const build = (draft: ResourceDraft): void => {
    const members = known.get(draft)
    if (members === undefined || draft.idMembers.length > 0) return
    if (open.has(draft)) {
      problems.push({ place: `${draft.key}.id`, message: 'is made up of ids that are made up of this one' })
      return
    }
    open.add(draft)
    for (const member of members) if (member.kind !== 'field') build(drafts.get(member.target.key) as ResourceDraft)
    giveId(draft, members)
  }
  for (const draft of known.keys()) build(draft)
}

function giveId(draft: ResourceDraft, members: Members): void {
  const [first, ...others] = members
  draft.idMembers = [...members]
  draft.idColumns = [first.column, ...others.map(({ column }) => column)]
  draft.id = membersId(members)
  const short = members.filter(({ kind }) => kind !== 'ownedBy')
  draft.shortId = short.length === 0 || short.length === members.length ? draft.id : membersId(short)
}

/** The members that the descriptor says make up the id; undefined if it says nothing of it, or something is wrong. */
function declaredMembers(draft: ResourceDraft, drafts: Drafts, problems: ModelProblem[]): Members | undefined {
  const { id } = buildingOf(draft).descriptor
  if (!Array.isArray(id)) return undefined
  const before = problems.length
  const place = `${draft.key}.id`
  const members = membersNamed(id, keyMembers(draft), 'an id', place, problems)
  for (const member of members) {
    const why = whyNoPart(member)
    if (why !== undefined) problems.push({ place, message: `'${member.name}' ${why}` })
    if (member.kind === 'ownedBy' && member.position !== undefined) {
      const message = `moves: the id of ${withArticle(draft.key)} has the owner's id as a part, and ids never change`
      problems.push({ place: `${draft.key}.relations.${member.name}`, message })
    }
  }
  if (members.length > 1) problems.push(...problemsOfSeveral(draft, drafts, place))
  const [only] = members
  if (id.length === 1 && only?.kind === 'ownedBy' && only.inverse?.many) {
    const message = `is the id of the owner, so the owner can have one ${draft.key} only: use owns.one`
    problems.push({ place, message })
  }
  return problems.length === before ? (members as Members) : undefined
}

const TEXTS_OR_INTEGERS = 'can be no part of an id: parts are texts, integers, dates, moments, needs.one and ownedBy'

function whyNoPart(member: Field | ForeignKey): string | undefined {
  if (member.nullable) return 'may be null, so it can be no part of an id'
  if (member.kind === 'ownedBy') return undefined
  if (member.setByRule) return 'is set by a rule, so it can be no part of an id'
  if (member.kind === 'reference') return undefined
  const { storage, schema, writeOnly, access, readOnly } = member
  if (storage !== 'integer' && storage !== 'string' && storage !== 'date') return TEXTS_OR_INTEGERS
  if (textFormat(schema) === 'decimal') return TEXTS_OR_INTEGERS
  if (writeOnly || access !== undefined) return 'is not for everybody to see and set, and every id would show it'
  return readOnly ? 'is read-only, so no request could give a new record its id' : undefined
}

/** A foreign key to a record with an id of several parts would have several columns. */
function problemsOfSeveral(draft: ResourceDraft, drafts: Drafts, place: string): ModelProblem[] {
  const { key, owns, links, linkedBy } = draft
  const naming = [...drafts.values()].flatMap(({ references }) => references.filter(({ target }) => target === draft))
  const found = [
    ...owns.map(({ name }) => `cannot own records (${name})`),
    ...links.map(({ name }) => `cannot have a link table (${name})`),
    ...[...naming, ...linkedBy].map((one) => `cannot be what ${one.source.key}.${one.name} names`),
  ]
  const why = `${withArticle(key)} has an id of several parts, and foreign keys of several columns are not supported`
  return found.map((what) => ({ place, message: `${what}: ${why}` }))
}
