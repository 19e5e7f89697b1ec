import Fastify, { type FastifyInstance } from 'fastify'
import { type AnyKysely, type CrudOptions, crudPlugin, timestamps } from 'fastify-crud'
import { resources } from './model.ts'

/** A notebook has so many pinned notes at most. */
export const MOST_PINNED = 5

/** The service at `/api`. Everybody may do everything: who signs in, and may see what, is in other examples. */
export async function buildApp(db: AnyKysely, changes: CrudOptions['changes'] = true): Promise<FastifyInstance> {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(crudPlugin, {
    db,
    resources,
    changes,
    authorize: () => true,
    rules: {
      note: [timestamps()],
      notebook: [
        {
          invariant: {
            reads: ['notes.pinned'],
            test({ after, refuse }) {
              const count = after.notes.filter(({ pinned }) => pinned).length
              if (count > MOST_PINNED) refuse(`a notebook has at most ${MOST_PINNED} pinned notes`)
            },
          },
        },
      ],
    },
  })
  return app
}
