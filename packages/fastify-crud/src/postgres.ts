export * from '@fastify-crud/core/postgres'
