import { Type } from '@sinclair/typebox'
import { defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'

/**
 * Every relation kind, to three levels and in a tree, and every type of field. All names in the database begin with `zq_`,
 * and no name of a property does: so one that gets into an answer is found.
 */
export const museum = defineResources({
  donor: {
    table: 'zq_donors',
    columns: { id: 'zq_donor_no', name: 'zq_donor_name' },
    fields: { name: Type.String() },
    relations: { items: neededBy.many('item') },
    unique: [['name']],
  },
  room: {
    table: 'zq_rooms',
    columns: { id: 'zq_room_no', label: 'zq_room_label' },
    fields: { label: Type.String() },
    relations: { item: neededBy.one('item') },
  },
  expert: {
    table: 'zq_experts',
    columns: { id: 'zq_expert_no', name: 'zq_expert_name' },
    fields: { name: Type.String() },
  },
  topic: {
    table: 'zq_topics',
    columns: { id: 'zq_topic_no', word: 'zq_topic_word' },
    fields: { word: Type.String() },
  },
  item: {
    table: 'zq_items',
    columns: {
      id: 'zq_item_no',
      title: 'zq_title',
      weight: 'zq_weight',
      pieces: 'zq_pieces',
      isShown: 'zq_shown',
      foundOn: 'zq_found_on',
      seenAt: 'zq_seen_at',
      state: 'zq_state',
      code: 'zq_code',
      worth: 'zq_worth',
      marks: 'zq_marks',
      size: 'zq_size',
      counts: 'zq_counts',
      extra: 'zq_extra',
      donorId: 'zq_donor_ref',
      roomId: 'zq_room_ref',
      twinId: 'zq_twin_ref',
    },
    fields: {
      title: Type.String({ minLength: 1, maxLength: 2_000 }),
      weight: Type.Optional(Type.Number({ minimum: 0 })),
      pieces: Type.Integer({ default: 1 }),
      isShown: Type.Boolean({ default: false }),
      foundOn: Type.Optional(Type.String({ format: 'date' })),
      seenAt: Type.Optional(Type.String({ format: 'date-time' })),
      state: Type.Optional(Type.Union([Type.Literal('whole'), Type.Literal('broken')])),
      code: Type.Optional(Type.String({ pattern: '^[A-Z]{1,4}[0-9]{0,6}$' })),
      worth: Type.Optional(Type.String({ format: 'decimal' })),
      marks: Type.Optional(Type.Array(Type.Integer())),
      size: Type.Optional(Type.Object({ unit: Type.String(), high: Type.Optional(Type.Number()) })),
      counts: Type.Optional(Type.Record(Type.String(), Type.Array(Type.Integer()))),
      extra: Type.Optional(Type.Any()),
    },
    relations: {
      donor: needs.one('donor'),
      room: needs.one('room', { optional: true, unique: true }),
      experts: needs.many('expert', { through: 'zq_item_experts', from: 'zq_of_item', to: 'zq_by_expert' }),
      twin: knows.one('item'),
      topics: knows.many('topic', { through: 'zq_item_topics', from: 'zq_about_item', to: 'zq_the_topic' }),
      label: owns.one('label'),
      parts: owns.many('part'),
    },
    unique: [['code']],
  },
  label: {
    table: 'zq_labels',
    columns: { id: 'zq_label_no', text: 'zq_label_text', itemId: 'zq_label_of' },
    fields: { text: Type.String() },
    relations: { item: ownedBy('item') },
  },
  part: {
    table: 'zq_parts',
    columns: {
      id: 'zq_part_no',
      name: 'zq_part_name',
      note: 'zq_part_note',
      itemId: 'zq_part_of',
      expertId: 'zq_checked_by',
    },
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { item: ownedBy('item'), expert: knows.one('expert'), repairs: owns.many('repair') },
    unique: [['item', 'name']],
  },
  repair: {
    table: 'zq_repairs',
    columns: { id: 'zq_repair_no', what: 'zq_what', cost: 'zq_cost', partId: 'zq_repair_of', expertId: 'zq_done_by' },
    fields: { what: Type.String(), cost: Type.Optional(Type.Number()) },
    relations: {
      part: ownedBy('part'),
      expert: needs.one('expert'),
      topics: knows.many('topic', { through: 'zq_repair_topics', from: 'zq_in_repair', to: 'zq_a_topic' }),
    },
  },
  folder: {
    table: 'zq_folders',
    columns: { id: 'zq_folder_no', name: 'zq_folder_name', parentId: 'zq_in_folder', aboutId: 'zq_about' },
    fields: { name: Type.String() },
    relations: {
      parent: ownedBy('folder', { optional: true }),
      folders: owns.many('folder'),
      about: knows.one('item'),
    },
  },
})
