import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import { idsOfKind, withIds } from '../../../../../test/support/test-ids.ts'
import { testEveryRelation } from '../every-relation.ts'
import { library } from '../models/library.ts'

for (const kind of ['bigint', 'uuid', 'text', 'mixed', 'mixed the other way']) {
  describeOnBoth(`every relation, ids: ${kind}`, (database) => {
    const ids = idsOfKind(kind)
    testEveryRelation(useApp(database, withIds(library, ids.declared)), ids)
  })
}
