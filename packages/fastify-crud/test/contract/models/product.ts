import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'

/** A plain resource: a field of each kind of requiredness. */
export const product = defineResources({
  product: {
    fields: {
      name: Type.String({ minLength: 1 }),
      price: Type.Optional(Type.Number({ minimum: 0 })),
      stock: Type.Integer({ default: 7 }),
      note: Type.Optional(Type.String({ default: 'new' })),
    },
  },
})

/** What a product that was posted with a name alone looks like, its id aside. */
export const plainProduct = (name: string) => ({ name, price: null, stock: 7, note: 'new' })
