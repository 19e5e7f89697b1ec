export * from '@fastify-crud/core/node-sqlite'
