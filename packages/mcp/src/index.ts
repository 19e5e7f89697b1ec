import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { type CheckedOptions, type CrudMcpOptions, checkedOptions } from './options.ts'
import { serviceOf, ToolError } from './service.ts'
import { describe, get, group, history, list } from './tools/read.ts'
import type { Tool } from './tools/tool.ts'
import { confirm, preview } from './tools/write.ts'

export type { CrudMcpOptions } from './options.ts'

const READING = [describe, list, get, group, history] as readonly Tool[]
const WRITING = [preview, confirm] as readonly Tool[]

/**
 * The service as tools for agents, over the Model Context Protocol (streamable HTTP, revision 2026-07-28 and those
 * before). Each tool call is a request to the service's own routes with the credentials of the call, and nothing is
 * kept between calls.
 *
 * Throws a TypeError if an option is wrong.
 *
 * @example
 * await app.register(crudPlugin, { db, resources })
 * await app.register(crudMcp) // http://localhost:3000/mcp
 */
export const crudMcp = fastifyPlugin(
  async (app: FastifyInstance, given: CrudMcpOptions) => {
    const options = checkedOptions(given)
    app.route({
      method: ['POST', 'GET', 'DELETE'],
      url: options.path,
      schema: { hide: true } as object,
      handler: (request, reply) => answer(app, request, reply, options),
    })
  },
  { name: '@fastify-crud/mcp', fastify: '5.x' },
)

export default crudMcp

async function answer(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  options: CheckedOptions,
): Promise<FastifyReply> {
  const { host, origin } = request.headers
  const isAllowed = [
    validateHostHeader(host, [...options.hosts]),
    validateOriginHeader(origin, [...options.origins]),
  ].every(({ ok }) => ok)
  if (!isAllowed) {
    const detail =
      'the host or the origin of the request is not one that crudMcp allows: see its options hosts and origins'
    return reply.code(FORBIDDEN).send({ error: 'Forbidden', message: detail })
  }
  const handler = createMcpHandler(() => serverFor(app, request, options))
  const url = `http://${host ?? 'localhost'}${request.url}`
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value)
  const sent = await handler.fetch(new Request(url, { method: request.method, headers }), { parsedBody: request.body })
  reply.code(sent.status)
  for (const [name, value] of sent.headers) reply.header(name, value)
  return reply.send(await sent.text())
}

const FORBIDDEN = 403

function serverFor(app: FastifyInstance, request: FastifyRequest, options: CheckedOptions): McpServer {
  const server = new McpServer({ name: 'fastify-crud', version: '1' }, { instructions: INSTRUCTIONS })
  const tools = { call: serviceOf(app, request, options), options }
  for (const tool of options.readOnly ? READING : [...READING, ...WRITING]) {
    const { name, title, description, input, annotations, run } = tool
    const inputSchema = fromJsonSchema(input)
    server.registerTool(name, { title, description, inputSchema, annotations }, async (given: unknown) => {
      try {
        return { content: [{ type: 'text', text: await run(given as never, tools) }] }
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        return { content: [{ type: 'text', text: error.message }], isError: true }
      }
    })
  }
  return server
}

const INSTRUCTIONS =
  'A service over related records. Call `describe` first. Before you change anything, call `preview`, say what it does, and call `confirm` with its tag.'
