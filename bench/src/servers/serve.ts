import type { FastifyInstance } from 'fastify'

/** What a module of this folder exports: the service on a database, a file or URL. */
export type Build = (location: string) => Promise<FastifyInstance>
