import { archive } from './archive.ts'
import { archiveCallers } from './archive-callers.ts'
import { archivePolicies, archiveRules } from './archive-policies.ts'
import { furnishArchive } from './furnish-archive.ts'
import type { FuzzSubject } from './fuzz-service.ts'

export const archiveSubject: FuzzSubject = {
  resources: archive,
  callers: archiveCallers,
  options: { policies: archivePolicies },
  rowRules: archiveRules,
  furnish: furnishArchive,
}
