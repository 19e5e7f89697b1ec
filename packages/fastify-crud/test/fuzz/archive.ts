import { Type } from '@sinclair/typebox'
import { defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'

/** Whom a record belongs to; `shared`: everybody may see it. */
const org = Type.Union([Type.Literal('north'), Type.Literal('south'), Type.Literal('shared')])

/**
 * What several organisations keep in one database: every relation kind, and a field for callers with some roles. As in
 * `models/museum.ts`, all names in the database begin with `zq_`.
 */
export const archive = defineResources({
  place: {
    table: 'zq_places',
    columns: { id: 'zq_place_no', name: 'zq_place_name', org: 'zq_place_org' },
    fields: { name: Type.String(), org },
    relations: { pieces: neededBy.many('piece') },
    unique: [['org', 'name']],
  },
  person: {
    table: 'zq_persons',
    columns: { id: 'zq_person_no', name: 'zq_person_name', org: 'zq_person_org' },
    fields: { name: Type.String(), org },
  },
  topic: {
    table: 'zq_topics',
    columns: { id: 'zq_topic_no', word: 'zq_topic_word', org: 'zq_topic_org' },
    fields: { word: Type.String(), org },
  },
  piece: {
    table: 'zq_pieces',
    columns: {
      id: 'zq_piece_no',
      title: 'zq_title',
      org: 'zq_piece_org',
      code: 'zq_code',
      worth: 'zq_worth',
      placeId: 'zq_place_ref',
      twinId: 'zq_twin_ref',
    },
    fields: {
      title: Type.String({ minLength: 1 }),
      org,
      code: Type.Optional(Type.String({ pattern: '^[A-Z]{1,2}[0-9]?$' })),
      worth: Type.Optional(Type.String({ access: { View: ['appraiser', 'auditor'], Edit: ['appraiser'] } })),
    },
    relations: {
      place: needs.one('place'),
      persons: needs.many('person', { through: 'zq_piece_persons', from: 'zq_of_piece', to: 'zq_by_person' }),
      twin: knows.one('piece'),
      topics: knows.many('topic', { through: 'zq_piece_topics', from: 'zq_about_piece', to: 'zq_the_topic' }),
      cover: owns.one('cover'),
      notes: owns.many('note'),
      loans: owns.many('loan'),
    },
    unique: [['org', 'code']],
    search: {
      fields: ['title', 'worth', 'code', 'place.name', 'persons.name', 'topics.word', 'twin.worth'],
      index: true,
    },
  },
  // What may be done with the piece decides.
  cover: {
    table: 'zq_covers',
    columns: { id: 'zq_cover_no', text: 'zq_cover_text', pieceId: 'zq_cover_of', topicId: 'zq_cover_topic' },
    fields: { text: Type.String() },
    relations: { piece: ownedBy('piece'), topic: knows.one('topic') },
  },
  note: {
    table: 'zq_notes',
    columns: { id: 'zq_note_no', text: 'zq_note_text', org: 'zq_note_org', pieceId: 'zq_note_of' },
    fields: { text: Type.String(), org },
    relations: { piece: ownedBy('piece') },
  },
  loan: {
    table: 'zq_loans',
    columns: {
      id: 'zq_loan_no',
      to: 'zq_lent_to',
      state: 'zq_loan_state',
      pieceId: 'zq_loan_of',
      personId: 'zq_lent_by',
    },
    fields: { to: Type.String(), state: Type.Union([Type.Literal('open'), Type.Literal('secret')]) },
    relations: { piece: ownedBy('piece'), person: needs.one('person'), stamps: owns.many('stamp') },
  },
  stamp: {
    table: 'zq_stamps',
    columns: { id: 'zq_stamp_no', text: 'zq_stamp_text', loanId: 'zq_stamp_of' },
    fields: { text: Type.String() },
    relations: {
      loan: ownedBy('loan'),
      topics: knows.many('topic', { through: 'zq_stamp_topics', from: 'zq_in_stamp', to: 'zq_a_topic' }),
    },
  },
  folder: {
    table: 'zq_folders',
    columns: {
      id: 'zq_folder_no',
      name: 'zq_folder_name',
      org: 'zq_folder_org',
      parentId: 'zq_in_folder',
      aboutId: 'zq_about',
    },
    fields: { name: Type.String(), org },
    relations: {
      parent: ownedBy('folder', { optional: true }),
      folders: owns.many('folder'),
      about: knows.one('piece'),
    },
  },
})
