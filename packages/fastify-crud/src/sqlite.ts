export * from '@fastify-crud/core/sqlite'
