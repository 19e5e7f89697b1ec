import type { ComputedDeclaration, Descriptors } from 'fastify-crud'
import { madeOf } from './random-fields.ts'

/**
 * Descriptors as one writes them, so that a failure can be pasted into a test. `showComputed` writes a computed field; models that
 * only write have none.
 */
export function showDescriptors(
  descriptors: Descriptors,
  showComputed: (declaration: ComputedDeclaration) => string = () => '…',
): string {
  const resources = Object.entries(descriptors).map(
    ([key, { fields = {}, relations = {}, unique, computed = {}, ...names }]) => {
      const lines = Object.entries(names).map(([name, value]) => `    ${name}: ${JSON.stringify(value)},`)
      const fieldLines = Object.entries(fields).map(([name, schema]) => `      ${name}: ${madeOf(schema).source},`)
      if (fieldLines.length > 0) lines.push('    fields: {', ...fieldLines, '    },')
      const relationLines = Object.entries(relations).map(([name, { relation, target, options }]) => {
        const given = Object.keys(options).length > 0 ? `, ${JSON.stringify(options)}` : ''
        return `      ${name}: ${relation}('${target}'${given}),`
      })
      if (relationLines.length > 0) lines.push('    relations: {', ...relationLines, '    },')
      const computedLines = Object.entries(computed).map(
        ([name, one]) => `      ${JSON.stringify(name)}: ${showComputed(one)},`,
      )
      if (computedLines.length > 0) lines.push('    computed: {', ...computedLines, '    },')
      if (unique !== undefined) lines.push(`    unique: ${JSON.stringify(unique)},`)
      return `  ${key}: {\n${lines.join('\n')}\n  },`
    },
  )
  return `defineResources({\n${resources.join('\n')}\n})`
}
