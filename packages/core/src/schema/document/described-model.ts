import { withMembers } from '../../model/build/with-members.ts'
import { fieldRightsOf, rolesInFields } from '../../model/field-rights.ts'
import type { Model } from '../../model/model.ts'

/** The model as callers with all roles have it: what no caller sees or sets is not described. */
export function describedModel(model: Model): Model {
  const { sees, sets } = fieldRightsOf(rolesInFields(model))
  return withMembers(model, {
    fieldFor(field) {
      const [isSeen, isSet] = [sees(field), sets(field)]
      if (isSeen !== field.writeOnly && isSet !== field.readOnly) return field
      const { required, inSummary } = field
      return Object.freeze({
        ...field,
        required: required && isSet,
        readOnly: !isSet,
        writeOnly: !isSeen,
        inSummary: inSummary && isSeen,
      })
    },
    keeps: sees,
  })
}
