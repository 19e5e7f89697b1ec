#!/usr/bin/env node
import '@fastify-crud/tables/command'
