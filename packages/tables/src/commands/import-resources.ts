import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Model } from '@fastify-crud/core'
import { CliError } from './cli-error.ts'

/** The model that a module exports, by whatever name. */
export async function importResources(file: string | undefined, folder: string): Promise<Model> {
  if (file === undefined) throw new CliError('no descriptors: say --resources FILE')
  const module = await load(file, pathToFileURL(resolve(folder, file)).href)
  const models = [...new Set(Object.values(module).filter(isModel))]
  const [model, another] = models
  if (model === undefined) throw new CliError(`${file} exports nothing that defineResources returned`)
  if (another !== undefined) throw new CliError(`${file} exports several models; give a file that exports one`)
  return model
}

async function load(file: string, url: string): Promise<object> {
  if (!existsSync(new URL(url))) throw new CliError(`there is no file ${file}`)
  try {
    return await import(url)
  } catch (error) {
    throw new CliError(`${file} cannot be loaded: ${whyNot(error)}`)
  }
}

function whyNot(error: unknown): string {
  const { message, code } = Object(error) as { message?: unknown; code?: unknown }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return 'TypeScript needs Node 22.18 or later'
  const words = String(message ?? error)
  const isCommonJs = /^Cannot use import statement outside a module|^Unexpected token 'export'/.test(words)
  return isCommonJs ? `${words}. Is "type": "module" missing in package.json?` : words
}

function isModel(value: unknown): value is Model {
  return typeof value === 'object' && value !== null && (value as Partial<Model>).resources instanceof Map
}
