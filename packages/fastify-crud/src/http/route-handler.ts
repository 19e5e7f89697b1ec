import type { FastifyReply, FastifyRequest } from 'fastify'

export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
