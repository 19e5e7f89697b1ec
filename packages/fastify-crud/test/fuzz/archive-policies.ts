import type { Policies } from 'fastify-crud'
import type { archive } from './archive.ts'
import type { Caller } from './callers.ts'
import type { RowRule, RowRules } from './row-rules.ts'

/** With which records of `archive.ts` its callers may do what. {@link archiveRules} says the same. */
export const archivePolicies: Policies<typeof archive, Caller<'north' | 'south'>> = {
  place: ({ eb, my }) => eb('zq_place_org', '=', my('org')),
  person: {
    View: ({ eb, my }) => eb.or([eb('zq_person_org', '=', my('org')), eb('zq_person_org', '=', 'shared')]),
    Add: ({ eb, my }) => eb('zq_person_org', 'in', [my('org'), 'shared']),
    Edit: {
      before: ({ eb, my }) => eb('zq_person_org', '=', my('org')),
      after: ({ eb, my }) => eb.or([eb('zq_person_org', '=', my('org')), eb('zq_person_org', '=', 'shared')]),
    },
    Delete: ({ eb, my }) => eb('zq_person_org', '=', my('org')),
  },
  topic: {
    member: { View: ({ eb, my }) => eb.or([eb('zq_topic_org', '=', my('org')), eb('zq_topic_org', '=', 'shared')]) },
    editor: ({ eb, my }) => eb('zq_topic_org', '=', my('org')),
    auditor: { View: true },
  },
  piece: {
    member: ({ eb, my }) => eb('zq_piece_org', '=', my('org')),
    // What it writes, it may lose sight of.
    sender: {
      View: ({ eb, my }) => eb('zq_piece_org', '=', my('org')),
      Add: true,
      Edit: { before: true, after: true },
    },
    auditor: { View: true },
  },
  note: {
    View: ({ eb, my }) => eb.or([eb('zq_note_org', '=', my('org')), eb('zq_note_org', '=', 'shared')]),
    Add: ({ eb, my }) => eb('zq_note_org', '=', my('org')),
    Edit: ({ eb, my }) => eb('zq_note_org', '=', my('org')),
    Delete: ({ eb, my }) => eb('zq_note_org', '=', my('org')),
  },
  loan: {
    member: { View: ({ eb }) => eb('zq_loan_state', '=', 'open') },
    editor: true,
    sender: { Add: true, Edit: true },
    auditor: { View: true },
  },
  folder: {
    member: ({ eb, my }) => eb('zq_folder_org', '=', my('org')),
    auditor: { View: ({ eb }) => eb('zq_folder_org', '<>', 'shared'), Delete: true },
  },
}

const isMine =
  (column: string): RowRule =>
  ({ org }, _action, row) =>
    row[column] === org
const isMineOrShared =
  (column: string): RowRule =>
  ({ org }, _action, row) =>
    row[column] === org || row[column] === 'shared'
const always: RowRule = () => true

/** The rule where the action is one of these. */
const on =
  (actions: string, rule: RowRule): RowRule =>
  (caller, action, row) =>
    actions.split(' ').includes(action) && rule(caller, action, row)

const anyOf =
  (...rules: readonly RowRule[]): RowRule =>
  (caller, action, row) =>
    rules.some((rule) => rule(caller, action, row))

const ofRole =
  (role: string, rule: RowRule): RowRule =>
  (caller, action, row) =>
    caller.roles.includes(role) && rule(caller, action, row)

/** What {@link archivePolicies} says, without the database. */
export const archiveRules: RowRules = {
  place: isMine('zq_place_org'),
  person: anyOf(
    on('View Add EditAfter', isMineOrShared('zq_person_org')),
    on('EditBefore Delete', isMine('zq_person_org')),
  ),
  topic: anyOf(
    ofRole('member', on('View', isMineOrShared('zq_topic_org'))),
    ofRole('editor', isMine('zq_topic_org')),
    ofRole('auditor', on('View', always)),
  ),
  piece: anyOf(
    ofRole('member', isMine('zq_piece_org')),
    ofRole('sender', anyOf(on('View', isMine('zq_piece_org')), on('Add EditBefore EditAfter', always))),
    ofRole('auditor', on('View', always)),
  ),
  note: anyOf(on('View', isMineOrShared('zq_note_org')), on('Add EditBefore EditAfter Delete', isMine('zq_note_org'))),
  loan: anyOf(
    ofRole(
      'member',
      on('View', (_caller, _action, row) => row.zq_loan_state === 'open'),
    ),
    ofRole('editor', always),
    ofRole('sender', on('Add EditBefore EditAfter', always)),
    ofRole('auditor', on('View', always)),
  ),
  folder: anyOf(
    ofRole('member', isMine('zq_folder_org')),
    ofRole(
      'auditor',
      anyOf(
        on('View', (_caller, _action, row) => row.zq_folder_org !== 'shared'),
        on('Delete', always),
      ),
    ),
  ),
}
