import type { Model } from '@fastify-crud/core'
import type { CrudOptions } from 'fastify-crud'
import { blocksOfSection, isCode } from '../../../../../test/support/doc-pages.ts'
import { docScene, runExample } from '../../../../../test/support/doc-scene.ts'

/** What an example of the page on recipes declares. */
export interface Recipe {
  readonly resources: Model
  readonly rules: NonNullable<CrudOptions['rules']>
  /** Tables without routes, if the recipe has some. */
  readonly tables: Model | undefined
}

/** The recipe of the section with this title. It is the very code that users read. */
export async function recipeOf(title: string): Promise<Recipe> {
  const [block] = blocksOfSection('docs/recipes.md', title).filter(isCode)
  const tables = /^const tables = /m.test(block?.text ?? '') ? 'tables' : 'tables: undefined'
  return (await runExample(`${block?.text}\nreturn { resources, rules, ${tables} }`, await docScene())) as Recipe
}
