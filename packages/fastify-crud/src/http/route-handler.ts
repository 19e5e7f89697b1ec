import type { FastifyReply, FastifyRequest } from 'fastify'

/** Sends an answer, and returns undefined if that is done when the call returns: Fastify need not wait for a promise. */
export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> | undefined
