import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Model } from '@fastify-crud/core'
import { CliError } from './cli-error.ts'

/** The model that a module exports, by whatever name. */
export async function importResources(file: string, folder: string): Promise<Model> {
  const module = await load(file, pathToFileURL(resolve(folder, file)).href)
  const models = [...new Set(Object.values(module).filter(isModel))]
  const [model, another] = models
  if (model === undefined) throw new CliError(`${file} exports nothing that defineResources returned`)
  if (another !== undefined) throw new CliError(`${file} exports several models; give a file that exports one`)
  return model
}

async function load(file: string, url: string): Promise<object> {
  try {
    return await import(url)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error
    throw new CliError(`this version of Node cannot read ${file}: use Node 22.18 or later, or compile it`)
  }
}

function isModel(value: unknown): value is Model {
  return typeof value === 'object' && value !== null && (value as Partial<Model>).resources instanceof Map
}
