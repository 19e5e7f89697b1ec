// All of the client, for a page or a worker. `SELF.client` is what a story uses.
import * as client from '@fastify-crud/client'
import * as stream from '@fastify-crud/client/changes'
import * as query from '@fastify-crud/client/query'

Object.assign(globalThis, { client: { ...client, ...stream, ...query } })
