import { Type } from '@sinclair/typebox'
import { defineResources, field, knows, needs, ownedBy, owns } from 'fastify-crud'

const text = Type.String()
const name = Type.String({ minLength: 1, maxLength: 80 })
const moment = Type.String({ format: 'date-time' })
const kinds = { fields: { name, active: field(Type.Boolean(), { default: true }) } }

/** Twenty resources, as a service for customers' questions has them. */
export const helpdesk = defineResources({
  country: { id: 'text', ...kinds },
  currency: { id: 'text', ...kinds },
  language: { id: 'text', ...kinds },
  category: { ...kinds, relations: { parent: knows.one('category') } },
  priority: kinds,
  team: kinds,
  tag: { ...kinds, unique: [['name']] },
  skill: kinds,
  agent: {
    fields: { name, email: Type.String({ format: 'email' }), since: Type.String({ format: 'date' }) },
    relations: { team: needs.one('team'), skills: knows.many('skill'), language: knows.one('language') },
    unique: [['email']],
  },
  company: {
    fields: { name, website: Type.Optional(Type.String({ format: 'uri' })) },
    relations: { country: needs.one('country'), contacts: owns.many('contact'), contracts: owns.many('contract') },
    search: { fields: ['name'] },
  },
  contact: {
    topLevel: true,
    fields: { name, email: Type.String({ format: 'email' }), phone: Type.Optional(text) },
    relations: { company: ownedBy('company'), language: knows.one('language') },
  },
  plan: {
    fields: { name, price: Type.Number({ minimum: 0 }), hours: Type.Integer({ minimum: 0 }) },
    relations: { currency: needs.one('currency') },
  },
  contract: {
    topLevel: true,
    fields: { begins: Type.String({ format: 'date' }), ends: Type.Optional(Type.String({ format: 'date' })) },
    relations: { company: ownedBy('company'), plan: needs.one('plan') },
  },
  product: { fields: { name, version: text }, relations: { category: knows.one('category') } },
  article: {
    fields: { title: name, body: text, published: field(Type.Boolean(), { default: false }) },
    relations: { author: needs.one('agent'), tags: knows.many('tag'), product: knows.one('product') },
    search: { fields: ['title', 'body'] },
  },
  ticket: {
    history: true,
    groups: true,
    fields: {
      title: name,
      state: field(Type.Enum({ new: 'new', open: 'open', waiting: 'waiting', closed: 'closed' }), { default: 'new' }),
      opened: moment,
      due: Type.Optional(moment),
      minutes: field(Type.Integer({ minimum: 0 }), { default: 0 }),
    },
    relations: {
      contact: needs.one('contact'),
      agent: knows.one('agent'),
      priority: needs.one('priority'),
      product: knows.one('product'),
      tags: knows.many('tag'),
      messages: owns.many('message'),
      tasks: owns.many('task', { order: 'place' }),
      survey: owns.one('survey'),
    },
    search: { fields: ['title'] },
  },
  message: {
    fields: { text, sent: moment, internal: field(Type.Boolean(), { default: false }) },
    relations: { ticket: ownedBy('ticket'), author: knows.one('agent'), files: owns.many('file') },
  },
  file: { fields: { name, type: text, bytes: Type.Integer() }, relations: { message: ownedBy('message') } },
  task: {
    fields: { title: name, done: field(Type.Boolean(), { default: false }) },
    relations: { ticket: ownedBy('ticket'), agent: knows.one('agent') },
  },
  survey: {
    fields: { stars: Type.Integer({ minimum: 1, maximum: 5 }), comment: Type.Optional(text) },
    relations: { ticket: ownedBy('ticket') },
  },
})
