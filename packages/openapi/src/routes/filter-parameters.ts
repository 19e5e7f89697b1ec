import { type JsonSchema, OPERATORS, type Operator } from '@fastify-crud/core/internal'
import { safeName } from '../components/component-id.ts'
import type { Components } from '../components/components.ts'
import type { Ref } from '../components/openapi-document.ts'
import { DESCRIBED_OPERATORS, type FilterOperators } from '../openapi-options.ts'
import { type Compared, operatorSchema } from '../schemas/filter-schema.ts'

/**
 * A parameter for each operator of a value: `filter[price]` is `eq`, `filter[price][gte]` another one. All that have a name and a type
 * share them, whatever their resource. A list of values is an array that repeats the name.
 */
export function filterParameters(
  compared: readonly Compared[],
  which: FilterOperators,
  parameters: Components<JsonSchema>,
): Ref[] {
  const wanted: readonly Operator[] = DESCRIBED_OPERATORS[which]
  return compared.flatMap(({ name, type, value, operators }) => {
    // To ask for records by several ids is common, to ask for several values of a field is not.
    const isLeftOut = (operator: Operator) => which === 'few' && operator === 'in' && name !== 'id'
    const described = wanted.filter((operator) => operators.includes(operator) && !isLeftOut(operator))
    return described.map((operator) => {
      const isEqual = operator === 'eq'
      const id = ['filter', safeName(name), ...(isEqual ? [] : [operator])].join('.')
      const parameter = {
        name: isEqual ? `filter[${name}]` : `filter[${name}][${operator}]`,
        in: 'query',
        ...(isEqual && name === 'id' && { description: ABOUT_BRACKETS }),
        ...(OPERATORS[operator].comparator === 'in' && REPEATED),
        schema: operatorSchema(operator, value),
      }
      const ref = parameters.ref(id, () => parameter)
      // Fields of one name have other types elsewhere.
      return isSame(parameters.made[parameters.idOf(id)], parameter)
        ? ref
        : parameters.ref(`${id}.${type}`, () => parameter)
    })
  })
}

function isSame(one: JsonSchema | undefined, other: JsonSchema): boolean {
  return JSON.stringify(one?.schema) === JSON.stringify(other.schema)
}

const REPEATED = { style: 'form', explode: true } as const

// Said once, in the first of them. API references show it with each parameter otherwise.
const ABOUT_BRACKETS =
  'Filters in brackets: `filter[price]=5` is a value, `filter[price][gte]=5` an operator, and `filter[price][in]` is repeated for each of its values. All of them hold for each record of the answer.'
