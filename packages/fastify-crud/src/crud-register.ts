import type { Model } from '@fastify-crud/core'
import type { FastifyPluginCallback, FastifyRegisterOptions, RegisterOptions } from 'fastify'
import type { CrudOptions } from './options.ts'

/**
 * What `app.register` takes. It cannot be called in its type: only so its options are those of {@link CrudRegister},
 * which knows the model. Fastify's own signatures infer a plugin's options without its type parameters, so they would
 * take handlers for any resource.
 */
export interface CrudPlugin {
  readonly plugin: 'fastify-crud'
}

/**
 * Signatures of `app.register` that infer the model from `resources`, and the type of the caller from `caller`. So
 * handlers are checked against the resources, and know the records that `next()` resolves to.
 */
export interface CrudRegister<Registered> {
  /** With this one alone does the compiler infer the caller from a function that is written in the options. */
  <M extends Model, C, A>(plugin: CrudPlugin, options: RegisterOptions & CrudOptions<M, C, A>): Registered
  /** Takes every plugin, as Fastify's signatures do: the compiler explains a wrong call by the last signature, which is
   * this one. */
  <P extends CrudPlugin | AnyPlugin | Promise<{ readonly default: CrudPlugin | AnyPlugin }>, M extends Model, C, A>(
    plugin: P,
    options: FastifyRegisterOptions<OptionsOf<P, M, C, A>>,
  ): Registered
}

type OptionsOf<P, M extends Model, C, A> =
  P extends Promise<{ readonly default: infer Default }>
    ? OptionsOf<Default, M, C, A>
    : P extends CrudPlugin
      ? CrudOptions<M, C, A>
      : P extends FastifyPluginCallback<infer Options, infer _Server, infer _TypeProvider, infer _Logger>
        ? Options
        : never

// biome-ignore lint/suspicious/noExplicitAny: any options, server, type provider and logger, as in Fastify's signatures
type AnyPlugin = FastifyPluginCallback<any, any, any, any>

declare module 'fastify' {
  interface FastifyRegister<T> extends CrudRegister<T> {}
}
