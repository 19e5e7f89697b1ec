import type { Model } from '@fastify-crud/core'
import type { FastifyPluginCallback, FastifyRegisterOptions } from 'fastify'
import type { CrudOptions } from './options.ts'

/**
 * What `app.register` takes. It cannot be called in its type: only so its options are those of {@link CrudRegister}, which
 * knows the model. Fastify's own signatures infer a plugin's options without its type parameters, so they would take handlers
 * for any resource.
 */
export interface CrudPlugin {
  readonly plugin: 'fastify-crud'
}

/**
 * A signature of `app.register` that infers the model from `resources`. So handlers are checked against the resources, and
 * know the records that `next()` resolves to.
 *
 * It takes every plugin, as Fastify's signatures do: the compiler explains a wrong call by the last signature, which is this one.
 */
export type CrudRegister<Registered> = <
  P extends CrudPlugin | AnyPlugin | Promise<{ readonly default: CrudPlugin | AnyPlugin }>,
  M extends Model,
  C,
>(
  plugin: P,
  options: FastifyRegisterOptions<OptionsOf<P, M, C>>,
) => Registered

type OptionsOf<P, M extends Model, C> =
  P extends Promise<{ readonly default: infer Default }>
    ? OptionsOf<Default, M, C>
    : P extends CrudPlugin
      ? CrudOptions<M, C>
      : P extends FastifyPluginCallback<infer Options, infer _Server, infer _TypeProvider, infer _Logger>
        ? Options
        : never

// biome-ignore lint/suspicious/noExplicitAny: any options, server, type provider and logger, as in Fastify's signatures
type AnyPlugin = FastifyPluginCallback<any, any, any, any>

declare module 'fastify' {
  interface FastifyRegister<T> extends CrudRegister<T> {}
}
