import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import Fastify, { type FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { type CrudMcpOptions, crudMcp } from '../src/index.ts'

/** The SDK's own client, at the tools of a service that listens. */
export interface Agent {
  readonly app: FastifyInstance
  /** A client with these headers. */
  connect(headers?: Record<string, string>): Promise<Client>
  /** The text of a call that has to succeed. */
  read(name: string, input?: object, client?: Client): Promise<string>
  /** The text of a call that has to fail. */
  refused(name: string, input: object, client?: Client): Promise<string>
  close(): Promise<void>
}

export async function startAgent(
  register: (app: FastifyInstance) => Promise<void>,
  options: CrudMcpOptions = {},
): Promise<Agent> {
  const app = Fastify()
  await register(app)
  await app.register(crudMcp, options)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const clients: Client[] = []
  const connect = async (headers: Record<string, string> = {}): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit: { headers } }))
    clients.push(client)
    return client
  }
  const usual = await connect()
  const call = async (name: string, input: object, wantsError: boolean, client: Client): Promise<string> => {
    const { content, isError = false } = await client.callTool({ name, arguments: JSON.parse(JSON.stringify(input)) })
    const [first] = content as readonly { readonly text: string }[]
    const text = first?.text ?? ''
    expect(isError, text).toBe(wantsError)
    return text
  }
  return {
    app,
    connect,
    read: (name, input = {}, client = usual) => call(name, input, false, client),
    refused: (name, input, client = usual) => call(name, input, true, client),
    async close() {
      for (const client of clients) await client.close()
      await app.close()
    },
  }
}
