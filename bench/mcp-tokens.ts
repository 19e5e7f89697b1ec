/** How long the answers of MCP's tools are, in characters and in tokens of GPT-4o and GPT-5 (`o200k_base`). */
import { crudMcp } from '@fastify-crud/mcp'
import Fastify, { type FastifyInstance } from 'fastify'
import { createStore, createTables, crudPlugin } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { buildApp } from '../examples/bookshop/src/app.ts'
import { resources as bookshop } from '../examples/bookshop/src/resources.ts'
import { seed } from '../examples/bookshop/src/seed.ts'
import { helpdesk } from './src/helpdesk.ts'

/** A call of a tool, with its name and its input. */
type Call = readonly [name: string, input: object]

const ANSWERS = process.argv.includes('--answers')

console.log('| | call | characters | tokens |\n| --- | --- | --: | --: |')
await measureBookshop()
await measureHelpdesk()

async function measureBookshop(): Promise<void> {
  await using db = openSqlite(':memory:', { resources: bookshop })
  await createTables(db, bookshop)
  await db.transaction().execute((transaction) => seed(createStore({ db: transaction, resources: bookshop })))
  await using app = await buildApp({ db })
  await app.register(crudMcp, { headers: ['x-user'] })
  const patch = { resource: 'book', operation: 'patch', id: 1, body: { price: '0.01' } }
  await measure(app, 'bookshop', [
    ['describe', {}],
    ['describe', { resource: 'book' }],
    ['list', { resource: 'book', sort: ['title'] }],
    ['list', { resource: 'book', sort: ['title'], fields: ['title', 'price'] }],
    ['get', { resource: 'book', id: 1 }],
    ['preview', patch],
    ['preview', { resource: 'book', operation: 'patch', id: 1, body: { chapters: [] } }],
    ['preview', { resource: 'order', operation: 'delete', id: 1 }],
  ])
}

async function measureHelpdesk(): Promise<void> {
  await using db = openSqlite(':memory:', { resources: helpdesk })
  await createTables(db, helpdesk)
  const store = createStore({ db, resources: helpdesk })
  await store.country.create({ id: 'de', name: 'Germany' })
  await store.language.create({ id: 'de', name: 'German' })
  const priority = await store.priority.create({ name: 'high' })
  const team = await store.team.create({ name: 'First line' })
  const agent = await store.agent.create({
    name: 'Ada',
    email: 'ada@desk.example',
    since: '2025-01-01',
    teamId: team.id,
  })
  const { contacts } = await store.company.create({
    name: 'Ink and Paper',
    countryId: 'de',
    contacts: [{ name: 'Ben', email: 'ben@ink.example', languageId: 'de' }],
    contracts: [],
  })
  const tag = await store.tag.create({ name: 'invoice' })
  const sent = '2026-11-30T10:00:00Z'
  for (let number = 1; number <= 50; number++) {
    await store.ticket.create({
      title: `The invoice ${number} has a wrong address`,
      opened: sent,
      contactId: contacts[0]?.id as number,
      priorityId: priority.id,
      agentId: agent.id,
      tags: [{ id: tag.id }],
      messages: [
        { text: 'The address on our last invoice is the old one.', sent, authorId: null, files: [] },
        {
          text: 'We correct it.',
          sent,
          authorId: agent.id,
          files: [{ name: 'a.pdf', type: 'application/pdf', bytes: 1 }],
        },
      ],
      tasks: [{ title: 'Correct the address' }, { title: 'Send it again' }],
    })
  }
  await store.ticket.patch(1, { state: 'open', minutes: 10 })
  await using app = Fastify()
  await app.register(crudPlugin, { db, resources: helpdesk, authorize: () => true })
  await app.register(crudMcp)
  await measure(app, 'helpdesk', [
    ['describe', {}],
    ['describe', { resource: 'ticket' }],
    ['list', { resource: 'ticket', sort: ['-opened'] }],
    ['list', { resource: 'ticket', fields: ['title', 'state', 'agent'], limit: 20, count: true }],
    ['get', { resource: 'ticket', id: 1 }],
    ['group', { resource: 'ticket', by: ['state'], values: ['count()', 'sum(minutes)'] }],
    ['history', { resource: 'ticket', id: 1 }],
    ['preview', { resource: 'ticket', operation: 'patch', id: 1, body: { state: 'closed' } }],
    ['preview', { resource: 'ticket', operation: 'delete', id: 2 }],
    ['preview', { resource: 'tag', operation: 'delete', id: 1 }],
  ])
}

async function measure(app: FastifyInstance, of: string, calls: readonly Call[]): Promise<void> {
  const { tools } = await send(app, 'tools/list', {})
  print(of, 'all tools, as the agent is told of them', JSON.stringify(tools))
  for (const [name, input] of calls) {
    const { content, isError } = await send(app, 'tools/call', { name, arguments: input })
    const [{ text }] = content as [{ readonly text: string }]
    if (isError) throw new Error(text)
    print(of, `${name} ${JSON.stringify(input)}`, text)
  }
}

function print(of: string, call: string, text: string): void {
  console.log(`| ${of} | \`${call}\` | ${text.length} | ${countTokens(text)} |`)
  if (ANSWERS) console.log(`\n${text}\n`)
}

/** One message to the endpoint, as an agent of the bookshop's owner sends it. */
async function send(app: FastifyInstance, method: string, params: object): Promise<Record<string, unknown>> {
  const headers = { accept: 'application/json, text/event-stream', host: 'localhost', 'x-user': 'ben' }
  const payload = { jsonrpc: '2.0', id: 1, method, params }
  const { payload: answer } = await app.inject({ method: 'POST', url: '/mcp', headers, payload })
  const json = answer.startsWith('{') ? answer : (/^data: (.*)$/m.exec(answer)?.[1] as string)
  const { result, error } = JSON.parse(json) as { readonly result?: Record<string, unknown>; readonly error?: object }
  if (result === undefined) throw new Error(JSON.stringify(error))
  return result
}
